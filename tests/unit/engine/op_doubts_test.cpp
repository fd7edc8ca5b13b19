#include "engine/validation/plausibility.h"

#include <vector>

#include "support/catch.h"

namespace gpubench::test::op_doubts_test {
using gpubench::test::contains_text;
using Values = std::vector<double>;

TEST_CASE("clocks that differ by more than 10 % give a warning with their ratio") {
  CHECK_FALSE(clock_warning(Values{0.0049, 0.0050}, Values{0.0051, 0.0050}));
  const auto slow = clock_warning(Values{0.001, 0.001}, Values{0.005, 0.005});
  REQUIRE(slow);
  CHECK_THAT(slow->text, contains_text("0.20 times"));
  CHECK(slow->figure == 5);
  const auto fast = clock_warning(Values{0.006, 0.006}, Values{0.005, 0.005});
  REQUIRE(fast);
  CHECK_THAT(fast->text, contains_text("1.20 times"));
}

}  // namespace gpubench::test::op_doubts_test
