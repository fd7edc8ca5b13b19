#include "app/ab/sides.h"

#include <algorithm>

#include "support/catch.h"

namespace gpubench::test::turns_test {

TEST_CASE("each round has every side once, in an order that the seed decides") {
  const auto turns = make_trials(3, 50, 1);
  REQUIRE(turns.size() == 150);
  for (std::size_t i = 0; i < turns.size(); i += 3) {
    std::vector<std::size_t> sides;
    for (std::size_t j = i; j < i + 3; ++j) {
      CHECK(turns[j].round == static_cast<std::int64_t>(i / 3 + 1));
      sides.push_back(turns[j].side);
    }
    std::ranges::sort(sides);
    CHECK(sides == std::vector<std::size_t>{0, 1, 2});
  }
  CHECK(turns == make_trials(3, 50, 1));
  CHECK(turns != make_trials(3, 50, 2));
}

TEST_CASE("no side is the first of a round more often than by chance") {
  const auto turns = make_trials(2, 1000, 0);
  int first = 0;
  for (std::size_t i = 0; i < turns.size(); i += 2) first += turns[i].side == 0 ? 1 : 0;
  CHECK((first > 450 && first < 550));
}

}  // namespace gpubench::test::turns_test
