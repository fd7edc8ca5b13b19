#include "gpubench/record/environment.h"
#include "gpubench/record/run_record.h"

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
  const auto groups = grouped({{"sleep", 5.0, "slept for 5 s"},
                               {"battery", {}, "on battery"},
                               {"sleep", 3600.0, "slept for 3,600 s"},
                               {"sleep", 40.0, "slept for 40 s"}});
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].worst.text == "slept for 3,600 s");
  CHECK(groups[0].rows == std::vector<std::size_t>{0, 2, 3});
  CHECK(groups[1].rows == std::vector<std::size_t>{1});
}

TEST_CASE("warnings without a figure are one group if their texts are equal") {
  const auto groups = grouped({{"governor", {}, "governor is powersave"},
                               {"governor", {}, "governor is conservative"},
                               {"governor", {}, "governor is powersave"},
                               {"host-memory-growth", {}, "grew by 5 MiB"},
                               {"host-memory-growth", {}, "grew by 6 MiB"}});
  REQUIRE(groups.size() == 4);
  CHECK(groups[0].rows == std::vector<std::size_t>{0, 2});
}

}  // namespace gpubench::test::warning_test
