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

/// Returns the cases of a suite on one device.
std::vector<Case> make_cases(const Suite& suite) {
  std::vector<Case> cases;
  for (const TrainGrid& group : suite.groups) {
    std::vector<TrainPoint> points = group.points();
    for (TrainPoint& point : points) point.ranks = 1;
    append(cases, make_plan(points, model_catalog(), datasets()));
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
  CHECK(readable_suites().size() == 10);
  CHECK(readable_suites()[1].origin == user.make_path("quick.json"));
}

TEST_CASE("an invalid user suite is refused with its path") {
  const UserFolder user;
  user.add("quick.json", "{");
  CHECK_THAT(refusal_of_name("quick"),
             contains_text(user.make_path("quick.json") + ": not valid JSON at line 1"));
  std::vector<std::string> faults;
  CHECK(all_suites(faults).size() == 9);
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
