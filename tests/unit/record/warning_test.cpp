#include "gpubench/record/warning.h"

#include <set>

#include "support/catch.h"

namespace gpubench::test::warning_test {

namespace {

std::vector<WarningGroup> grouped(const std::vector<Warning>& warnings) {
  std::vector<WarningGroup> groups;
  for (std::size_t row = 0; row < warnings.size(); ++row) add_warning(warnings[row], row, groups);
  return groups;
}

}  // namespace

TEST_CASE("warnings of a kind are one group with the largest figure") {
  const auto groups = grouped({{WarningKind::kSleep, 5.0, "slept for 5 s"},
                               {WarningKind::kBattery, {}, "on battery"},
                               {WarningKind::kSleep, 3600.0, "slept for 3,600 s"},
                               {WarningKind::kSleep, 40.0, "slept for 40 s"}});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].worst.text == "slept for 3,600 s");
  CHECK(groups[0].rows == std::vector<std::size_t>{0, 2, 3});
  CHECK(groups[1].rows == std::vector<std::size_t>{1});
}

TEST_CASE("warnings without a figure are one group if their texts are equal") {
  const auto groups = grouped({{WarningKind::kGovernor, {}, "governor is powersave"},
                               {WarningKind::kGovernor, {}, "governor is conservative"},
                               {WarningKind::kGovernor, {}, "governor is powersave"},
                               {WarningKind::kHostMemoryGrowth, {}, "grew by 5 MiB"},
                               {WarningKind::kHostMemoryGrowth, {}, "grew by 6 MiB"}});
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].rows == std::vector<std::size_t>{0, 2});
}

TEST_CASE("warnings of different unknown kinds are two groups") {
  CHECK(grouped({{KindName("flare"), 1.0, "one flare"}, {KindName("flood"), 2.0, "two floods"}}).size() == 2);
}

TEST_CASE("each kind of warning has its own name and a complete message") {
  std::set<std::string_view> names;
  for (const WarningEntry& entry : warning_entries()) {
    INFO(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(entry.cause.name.empty() == entry.cause.text.empty());
    const Warning warning = make_warning(entry.kind, 0.5, "DETAIL");
    CHECK(get_entry(warning.kind).kind == entry.kind);
    CHECK(warning.text != "");
    const bool shows_detail = entry.text.find("{1}") != std::string_view::npos;
    CHECK((warning.text.find("DETAIL") != std::string::npos) == shows_detail);
    CHECK_THAT(warning.text, !contains_text("{"));
  }
}

TEST_CASE("the message of a warning has the figure in its unit") {
  CHECK(make_warning(WarningKind::kOtherProcesses, 0.83).text == "other processes used 83 % of the CPU time");
  CHECK(make_warning(WarningKind::kSleep, 3600.2).text == "the machine slept for 3,600 s");
  CHECK(make_warning(WarningKind::kCpuThrottling, 1014).text ==
        "the CPU throttled due to heat: 1,014 events on its cores");
  CHECK(make_warning(WarningKind::kHostMemoryGrowth, 3 << 20, "8").text ==
        "host memory grew by 3 MiB per epoch over the last 8 epochs");
}

TEST_CASE("an unknown kind of warning has a name, and no advice, cause or other properties") {
  const KindName unknown("flare");
  CHECK(unknown.name == "flare");
  CHECK(KindName("sleep") == WarningKind::kSleep);
  CHECK(get_entry(unknown).text == "");
  CHECK(get_entry(unknown).remedy == "");
  CHECK_FALSE(get_entry(unknown).comes_from_ranks);
}

}  // namespace gpubench::test::warning_test
