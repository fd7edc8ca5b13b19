#include "gpubench/core/clock.h"

#include "support/catch.h"

namespace gpubench::test::deadline_test {

TEST_CASE("of a budget ever less is left, and never less than nothing") {
  const Deadline later(Seconds{100});
  CHECK_FALSE(later.is_over());
  CHECK(later.left().value <= 100);
  CHECK(later.left().value > 0);
  CHECK(later.milliseconds() <= 100'000);
  const Deadline past(Seconds{-1});
  CHECK(past.is_over());
  CHECK(past.left() == Seconds{0});
  CHECK(past.milliseconds() == 0);
}

TEST_CASE("a part of a budget ends no later than the whole") {
  CHECK(Deadline(Seconds{10}).at_most(Seconds{1000}).left().value <= 10);
  CHECK(Deadline(Seconds{1000}).at_most(Seconds{10}).left().value <= 10);
  CHECK(Deadline().at_most(Seconds{10}).left().value <= 10);
}

}  // namespace gpubench::test::deadline_test
