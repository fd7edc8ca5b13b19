#include "compare/verdict.h"

#include "support/catch.h"

namespace gpubench::test::verdict_test {

TEST_CASE("a ratio is better or worse where its interval excludes 1") {
  CHECK(decide_outcome({1.31, Interval{1.24, 1.39}}) == Outcome::kBetter);
  CHECK(decide_outcome({0.8, Interval{0.7, 0.9}}) == Outcome::kWorse);
  CHECK(decide_outcome({1.02, Interval{1.01, 1.03}}) == Outcome::kBetter);
}

TEST_CASE("a ratio is equal only where its whole interval lies within the margin") {
  CHECK(decide_outcome({1, Interval{1 / 1.04, 1.04}}) == Outcome::kEqual);
  CHECK(decide_outcome({1, Interval{1 / 1.04, 1.06}}) == Outcome::kUndecided);
  CHECK(decide_outcome({1, Interval{1 / 1.06, 1.04}}) == Outcome::kUndecided);
  CHECK(decide_outcome({1, Interval{1 / 1.06, 1.06}}, 0.07) == Outcome::kEqual);
  CHECK(decide_outcome({1.15, Interval{0.7, 1.9}}) == Outcome::kUndecided);
}

TEST_CASE("a missing interval proves nothing, however far the ratio is from 1") {
  CHECK(decide_outcome({1.91, missing("one process a side")}) == Outcome::kUnknown);
  CHECK(decide_outcome({1, missing("one process a side")}) == Outcome::kUnknown);
}

}  // namespace gpubench::test::verdict_test
