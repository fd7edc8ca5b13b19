#include "engine/plan/suite.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::suite_test {
namespace {

Suite parse(const std::string& text) { return parse_suite("mine", text, "mine.json"); }

/// A suite whose only group has these keys.
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

TEST_CASE("every key of a group sets its option") {
  const Suite suite = with_group(R"(
      "model": ["mlp", "cnn"], "batch_size": [32, 64], "dataset": "cifar10", "device": ["cpu", "mps"],
      "protocol": "fit", "epochs": 7, "min_epochs": 3, "max_epochs": 9, "target_rel_ci95": 0.05,
      "warmup": 2, "max_samples": 100, "seed": 4, "learning_rate": 0.5, "repeat": 6,
      "sizes": {"layers": 4, "heads": 2})");
  const PlanOptions& group = suite.groups.at(0);
  CHECK(group.models == std::vector<std::string>{"mlp", "cnn"});
  CHECK(group.batch_sizes == std::vector<std::int64_t>{32, 64});
  CHECK(group.dataset == "cifar10");
  CHECK(group.devices == std::vector<std::string>{"cpu", "mps"});
  CHECK(group.protocol == Protocol::kFit);
  CHECK(group.epochs == 7);
  CHECK(group.min_epochs == 3);
  CHECK(group.max_epochs == 9);
  CHECK(group.target_rel_ci95 == 0.05);
  CHECK(group.warmup_epochs == 2);
  CHECK(group.limit == 100);
  CHECK(group.seed == 4);
  CHECK(group.learning_rate == 0.5);
  CHECK(group.repeat == 6);
  CHECK(group.sizes == ModelSizes{{"layers", 4}, {"heads", 2}});
}

TEST_CASE("a list of one may be written as its element") {
  const PlanOptions group = with_group(R"("model": "mlp", "batch_size": 32, "device": "cpu")").groups.at(0);
  CHECK(group.models == std::vector<std::string>{"mlp"});
  CHECK(group.batch_sizes == std::vector<std::int64_t>{32});
  CHECK(group.devices == std::vector<std::string>{"cpu"});
}

TEST_CASE("what a group leaves out is as on the command line") {
  const PlanOptions group = parse(kSmallest).groups.at(0);
  const PlanOptions defaults;
  CHECK(group.models == defaults.models);
  CHECK(group.batch_sizes == defaults.batch_sizes);
  CHECK(group.protocol == defaults.protocol);
  CHECK_FALSE(group.epochs.has_value());
}

TEST_CASE("a suite keeps its summary, its limits of time, its groups in order and its text") {
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
  CHECK(suite.groups[1].models == std::vector<std::string>{"cnn"});
}

TEST_CASE("comments are no part of a suite, and no comments within texts") {
  const Suite suite =
      parse("// first\n{\"summary\": \"a // b\", // why\n /* and */ \"groups\": [{}]}\n// last\n");
  CHECK(suite.summary == "a // b");
}

TEST_CASE("an unknown key is refused with the nearest known one and its place") {
  CHECK_THAT(
      refusal(R"({"time_out": "5m", "groups": [{}]})"),
      contains_text("mine.json: unknown key 'time_out'; did you mean 'timeout'? known: summary, timeout"));
  CHECK_THAT(refusal_of_group(R"("batch_sizes": 32)"),
             contains_text("mine.json: group 2: unknown key 'batch_sizes'; did you mean 'batch_size'?"));
}

TEST_CASE("a value of the wrong type is refused with its group, its key and what was expected") {
  CHECK(refusal_of_group(R"("epochs": "five")") ==
        R"(mine.json: group 2: "epochs": must be a whole number of at most 63 bits, but is "five")");
  CHECK_THAT(refusal_of_group(R"("epochs": 2.5)"), contains_text("but is 2.5"));
  CHECK_THAT(refusal_of_group(R"("seed": 18446744073709551615)"), contains_text("at most 63 bits"));
  CHECK_THAT(refusal_of_group(R"("batch_size": [32, "64"])"),
             contains_text(R"("batch_size": must be a whole number)"));
  CHECK_THAT(refusal_of_group(R"("model": 3)"),
             contains_text(R"("model": must be a text in quotes, but is 3)"));
  CHECK_THAT(refusal_of_group(R"("model": null)"), contains_text("but is null"));
  CHECK_THAT(refusal_of_group(R"("dataset": ["a"])"),
             contains_text(R"("dataset": must be a text in quotes)"));
  CHECK_THAT(refusal_of_group(R"("target_rel_ci95": true)"),
             contains_text(R"("target_rel_ci95": must be a number)"));
  CHECK_THAT(refusal_of_group(R"("model": [])"), contains_text(R"("model": the list is empty)"));
  CHECK_THAT(refusal_of_group(R"("protocol": "fitt")"), contains_text("did you mean 'fit'?"));
  CHECK(refusal(R"({"groups": [{}, 3]})") == "mine.json: group 2: must be an object in braces, but is 3");
}

TEST_CASE("a limit of time that is no duration is refused with its key") {
  CHECK_THAT(refusal(R"({"timeout": "soon", "groups": [{}]})"),
             contains_text(R"(mine.json: "timeout": duration 'soon': is no duration; write 90s)"));
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
             contains_text("mine.json: not JSON from line 3, column 1 on"));
  CHECK_THAT(refusal(""), contains_text("mine.json: not JSON from line 1, column 1 on"));
  CHECK_THAT(refusal("{\"groups\": [{}]} more"), contains_text("mine.json: not JSON from line 1, column "));
  CHECK_THAT(refusal("{\"summary\": \"\xff\"}"), contains_text("mine.json: not JSON from line 1, column "));
  CHECK_THAT(refusal(R"({"groups": [{"target_rel_ci95": 1e999}]})"), contains_text("mine.json: "));
}

TEST_CASE("a key that stands twice in an object is refused, since one of the values would be lost") {
  CHECK_THAT(refusal(R"({"groups": [{"batch_size": 32, "batch_size": 64}]})"),
             contains_text(R"(mine.json: holds the key "batch_size" twice in an object)"));
  CHECK(refusal(R"({"groups": [{"batch_size": 32}, {"batch_size": 64}]})") == "accepted");
}

}  // namespace gpubench::test::suite_test
