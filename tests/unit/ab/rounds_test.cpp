#include "app/ab/variants.h"

#include <algorithm>
#include <span>
#include <vector>

#include "support/catch.h"

namespace gpubench::test::rounds_test {

TEST_CASE("each round has every variant once, in an order determined by the seed") {
  const auto orders = make_orders(3, 50, 1);
  REQUIRE(orders.size() == 50);
  for (std::vector<std::size_t> order : orders) {
    std::ranges::sort(order);
    CHECK(order == std::vector<std::size_t>{0, 1, 2});
  }
  CHECK(orders == make_orders(3, 50, 1));
  CHECK(orders != make_orders(3, 50, 2));
  CHECK(std::ranges::equal(make_orders(3, 9, 1), std::span(orders).first(9)));
}

TEST_CASE("each variant begins about half of the rounds") {
  const auto orders = make_orders(2, 1000, 0);
  const auto first = std::ranges::count(orders, std::vector<std::size_t>{0, 1});
  CHECK((first > 450 && first < 550));
}

}  // namespace gpubench::test::rounds_test
