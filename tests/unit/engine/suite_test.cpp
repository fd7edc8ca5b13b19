#include "engine/plan/suite.h"

#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/train_grid.h"

namespace gpubench::test::suite_test {
namespace {

Suite parse(const std::string& text) { return parse_suite("mine", text, "mine.json"); }

/// Returns a suite with one group that has these keys.
Suite with_group(const std::string& keys) { return parse("{\"groups\": [{" + keys + "}]}"); }

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

std::string refusal_of_group(const std::string& keys) {
  return refusal("{\"groups\": [{}, {" + keys + "}]}");
}

constexpr const char* kSmallest = R"({"groups": [{}]})";

}  // namespace

TEST_CASE("a group accepts a key for each training option") {
  const Suite suite = with_group(R"(
      "model": ["mlp", "cnn"], "batch_size": [32, 64], "dataset": "cifar10", "device": ["cpu", "mps"],
      "protocol": "fit", "epochs": "3..9", "target_rel_ci95": 0.05, "warmup_epochs": 2, "max_samples": 100,
      "seed": 4, "learning_rate": 0.5, "repeat": 6, "sizes": {"layers": 4, "heads": 2}, "profile": true)");
  const std::vector<TrainPoint> points = suite.groups.at(0).points();
  CHECK(points.size() == 48);
  TrainPoint last;
  last.model = "cnn";
  last.sizes = "layers=4,heads=2";
  last.device = "mps";
  last.dataset = "cifar10";
  last.batch_size = 64;
  last.protocol = "fit";
  last.repeat = 6;
  last.epochs = 9;
  last.min_epochs = 3;
  last.warmup_epochs = 2;
  last.target_rel_ci95 = 0.05;
  last.seed = 4;
  last.learning_rate = 0.5;
  last.max_samples = 100;
  last.is_profiled = true;
  CHECK(points.back() == last);
}

TEST_CASE("a group has the defaults of the command line, and a single value may replace a list") {
  CHECK(parse(kSmallest).groups.at(0) == TrainGrid());
  CHECK(with_group(R"("model": "mlp")").groups.at(0) == make_grid({{"model", "mlp"}}));
}

TEST_CASE("a suite has its summary, time limits, groups in order, and text") {
  const std::string text = R"({"summary": "two", "timeout": "1h30m", "budget": 90,
                               "groups": [{"model": "mlp"}, {"model": "cnn"}]})";
  const Suite suite = parse(text);
  CHECK(suite.name == "mine");
  CHECK(suite.origin == "mine.json");
  CHECK(suite.text == text);
  CHECK(suite.summary == "two");
  CHECK(suite.timeout == Seconds{5400});
  CHECK(suite.budget == Seconds{90});
  REQUIRE(suite.groups.size() == 2);
  CHECK(suite.groups[1] == make_grid({{"model", "cnn"}}));
}

TEST_CASE("comments are ignored, but not inside of strings") {
  const Suite suite =
      parse("// first\n{\"summary\": \"a // b\", // why\n /* and */ \"groups\": [{}]}\n// last\n");
  CHECK(suite.summary == "a // b");
}

TEST_CASE("an unknown key is refused with its location and the nearest known key") {
  CHECK_THAT(
      refusal(R"({"time_out": "5m", "groups": [{}]})"),
      contains_text(
          "mine.json: unknown key 'time_out'; did you mean 'timeout'? known: budget, groups, summary"));
  CHECK_THAT(refusal_of_group(R"("batch_sizes": 32)"),
             contains_text("mine.json: group 2: unknown key 'batch_sizes'; did you mean 'batch_size'?"));
}

TEST_CASE("a value of the wrong type is refused with its group, its key and the expected type") {
  CHECK_THAT(refusal_of_group(R"("epochs": "five")"),
             contains_text(R"(mine.json: group 2: "epochs" five: give a)"));
  CHECK_THAT(refusal_of_group(R"("epochs": 2.5)"), contains_text(R"("epochs" 2.5: give a)"));
  CHECK_THAT(refusal_of_group(R"("seed": 18446744073709551615)"),
             contains_text("give a whole number from 0"));
  CHECK_THAT(refusal_of_group(R"("model": [])"), contains_text("the list is empty"));
  CHECK_THAT(refusal_of_group(R"("model": [["mlp"]])"),
             contains_text("must be a string, a number, true or false"));
  CHECK_THAT(refusal_of_group(R"("protocol": "fitt")"), contains_text("unknown protocol 'fitt'"));
  CHECK(refusal(R"({"groups": [{}, 3]})") == "mine.json: group 2: must be an object in braces, but is 3");
}

TEST_CASE("an invalid time limit is refused with its key") {
  CHECK_THAT(refusal(R"({"timeout": "soon", "groups": [{}]})"),
             contains_text(R"(mine.json: "timeout": duration 'soon': not a duration; write 90s)"));
  CHECK_THAT(refusal(R"({"budget": -1, "groups": [{}]})"), contains_text(R"("budget": duration '-1')"));
  CHECK_THAT(refusal(R"({"budget": true, "groups": [{}]})"),
             contains_text(R"("budget": must be a duration)"));
}

TEST_CASE("a suite without a group is refused") {
  const std::string expected = "mine.json: \"groups\" must be a list of at least one object";
  CHECK(refusal("{}") == expected);
  CHECK(refusal(R"({"groups": []})") == expected);
  CHECK(refusal(R"({"groups": {}})") == expected);
  CHECK_THAT(refusal("[]"), contains_text("mine.json: must be an object in braces"));
}

TEST_CASE("a syntax error is refused with its line and column") {
  CHECK_THAT(refusal("{\n  \"groups\": [{}],\n}"),
             contains_text("mine.json: not valid JSON at line 3, column 1"));
  CHECK_THAT(refusal(""), contains_text("mine.json: not valid JSON at line 1, column 1"));
  CHECK_THAT(refusal("{\"groups\": [{}]} more"),
             contains_text("mine.json: not valid JSON at line 1, column "));
  CHECK_THAT(refusal("{\"summary\": \"\xff\"}"),
             contains_text("mine.json: not valid JSON at line 1, column "));
  CHECK_THAT(refusal(R"({"groups": [{"target_rel_ci95": 1e999}]})"), contains_text("mine.json: "));
}

TEST_CASE("a duplicate key in an object is refused") {
  CHECK_THAT(refusal(R"({"groups": [{"batch_size": 32, "batch_size": 64}]})"),
             contains_text(R"(mine.json: has the key "batch_size" twice in an object)"));
  CHECK(refusal(R"({"groups": [{"batch_size": 32}, {"batch_size": 64}]})") == "accepted");
}

}  // namespace gpubench::test::suite_test
