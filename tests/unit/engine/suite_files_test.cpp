// Sources of suites: built-in, the user's folder, any file.

#include "engine/plan/suite.h"
#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/scoped_variable.h"
#include "support/temp_dir.h"

namespace gpubench::test::suite_files_test {
namespace {

std::string refusal_of_name(const std::string& name_or_file) {
  try {
    load_suite(name_or_file);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

/// Names and shapes of the program's models, without LibTorch.
Catalog<ModelEntry> known_models() {
  const DataSpec grey{Task::kClassification, {1, 28, 28}, 10};
  const DataSpec colour{Task::kClassification, {3, 32, 32}, 10};
  std::vector<ModelEntry> entries;
  for (const std::string name : {"mlp", "cnn", "lstm"}) {
    entries.push_back({name, "", name, grey, "image", nullptr});
  }
  for (const std::string name : {"cnn0", "cnn1", "cnn2", "cnn3", "resnet50"}) {
    entries.push_back({name, "", name, colour, "image", nullptr});
  }
  entries.push_back({"dcgan", "", "dcgan", {Task::kImages, {3, 64, 64}, 0}, "image", nullptr});
  entries.push_back({"siamese", "", "siamese", {Task::kPairs, {2, 28, 28}, 2}, "pair", nullptr});
  entries.push_back({"vae", "", "vae", {Task::kImages, {1, 28, 28}, 0}, "image", nullptr});
  entries.push_back({"transformer_lm", "", "", {Task::kLanguage, {35}, 100}, "token", nullptr});
  for (const char* size : {"embedding", "hidden", "layers"}) {
    entries.back().options.push_back({size, "", 2, 1, 2000});
  }
  return {"model", entries};
}

Catalog<DatasetEntry> known_datasets() {
  std::vector<DatasetEntry> entries(4);
  entries[0].name = "fashion-mnist";
  entries[0].spec = {Task::kClassification, {1, 28, 28}, 10};
  entries[1].name = "cifar10";
  entries[1].spec = {Task::kClassification, {3, 32, 32}, 10};
  entries[2].name = "cifar10-64";
  entries[2].spec = {Task::kClassification, {3, 64, 64}, 10};
  entries[3].name = "wikitext2";
  entries[3].spec = {Task::kLanguage, {}, 100};
  return {"dataset", entries};
}

/// Returns the cases of a suite on one device.
std::vector<Case> make_cases(const Suite& suite) {
  static const Catalog<ModelEntry> models = known_models();
  static const Catalog<DatasetEntry> datasets = known_datasets();
  std::vector<Case> cases;
  for (const TrainGrid& group : suite.groups) {
    std::vector<TrainPoint> points = group.points();
    for (TrainPoint& point : points) point.ranks = 1;
    append(cases, make_plan(points, models, datasets));
  }
  return cases;
}

std::vector<std::string> enum_names(const std::vector<Suite>& suites) {
  std::vector<std::string> names;
  for (const Suite& suite : suites) names.push_back(suite.name);
  return names;
}

/// An empty folder for user suites, which replaces the one of the user who runs the tests.
class UserFolder {
 public:
  void add(const std::string& file, const std::string& text) const {
    dir_.file("gpubench/suites/" + file, text);
  }
  std::string make_path(const std::string& file) const {
    return (dir_.path() / "gpubench" / "suites" / file).string();
  }

 private:
  TempDir dir_;
  ScopedVariable variable_{"XDG_CONFIG_HOME", dir_.path().string()};
};

constexpr const char* kSmallest = R"({"groups": [{}]})";

std::vector<Suite> readable_suites() {
  std::vector<std::string> faults;
  return all_suites(faults);
}

}  // namespace

TEST_CASE("every built-in suite can be loaded and has a summary, a timeout and cases") {
  const UserFolder nobody;
  CHECK(enum_names(readable_suites()) == std::vector<std::string>{"smoke", "quick", "s0", "s1", "s2", "s3",
                                                                  "full", "scale", "modern", "modern-smoke"});
  for (const Suite& suite : readable_suites()) {
    CAPTURE(suite.name);
    CHECK(suite.origin == "built-in");
    CHECK_FALSE(suite.summary.empty());
    CHECK(suite.timeout.has_value());
    CHECK_FALSE(make_cases(suite).empty());
  }
}

TEST_CASE("the name of a suite in a file is the stem of the file name") {
  const UserFolder nobody;
  const TempDir dir;
  const std::string path = dir.file("night.json", kSmallest).string();
  CHECK(load_suite(path).name == "night");
  CHECK(load_suite(path).origin == path);
  CHECK(load_suite(dir.file("plan.txt", kSmallest).string()).name == "plan");
}

TEST_CASE("a file in the working folder needs no path, but does not hide a named suite") {
  const UserFolder nobody;
  const TempDir dir;
  dir.file("nightly", kSmallest);
  dir.file("s0", kSmallest);
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(dir.path());
  const Suite nightly = load_suite("nightly");
  const Suite s0 = load_suite("s0");
  std::filesystem::current_path(before);
  CHECK(nightly.origin == "nightly");
  CHECK(s0.origin == "built-in");
}

TEST_CASE("user suites are found by name and listed after the built-in ones") {
  const UserFolder user;
  user.add("night.json", kSmallest);
  user.add("notes.txt", "no suite");
  CHECK(load_suite("night").origin == user.make_path("night.json"));
  CHECK(enum_names(readable_suites()) == std::vector<std::string>{"smoke", "quick", "s0", "s1", "s2", "s3",
                                                                  "full", "scale", "modern", "modern-smoke",
                                                                  "night"});
  CHECK_THAT(refusal_of_name("nigth"), contains_text("did you mean 'night'?"));
}

TEST_CASE("a user suite replaces the built-in suite of the same name") {
  const UserFolder user;
  user.add("quick.json", kSmallest);
  CHECK(load_suite("quick").origin == user.make_path("quick.json"));
  CHECK(readable_suites().size() == 8);
  CHECK(readable_suites()[1].origin == user.make_path("quick.json"));
}

TEST_CASE("an invalid user suite is refused with its path") {
  const UserFolder user;
  user.add("quick.json", "{");
  CHECK_THAT(refusal_of_name("quick"),
             contains_text(user.make_path("quick.json") + ": not valid JSON at line 1"));
  std::vector<std::string> faults;
  CHECK(all_suites(faults).size() == 7);
  CHECK(faults.size() == 1);
}

TEST_CASE("the default folder for user suites is in ~/.config") {
  const TempDir home;
  const ScopedVariable config("XDG_CONFIG_HOME", std::nullopt);
  const ScopedVariable variable("HOME", home.path().string());
  const auto path = home.file(".config/gpubench/suites/night.json", kSmallest);
  CHECK(load_suite("night").origin == path.string());
}

}  // namespace gpubench::test::suite_files_test
