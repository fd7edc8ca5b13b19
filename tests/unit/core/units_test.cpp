#include "gpubench/core/units.h"

#include <type_traits>

#include "support/catch.h"

namespace gpubench::test::units_test {
namespace {

template <class A, class B>
concept Addable = requires(A a, B b) {
  a + b;
};

template <class A, class B>
concept Comparable = requires(A a, B b) {
  a < b;
};

}  // namespace

TEST_CASE("seconds and bytes do not mix, nor with plain numbers") {
  STATIC_REQUIRE(Addable<Seconds, Seconds>);
  STATIC_REQUIRE_FALSE(Addable<Seconds, Bytes>);
  STATIC_REQUIRE_FALSE(Comparable<Seconds, Bytes>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<double, Seconds>);
  STATIC_REQUIRE_FALSE(std::is_convertible_v<Seconds, double>);
}

}  // namespace gpubench::test::units_test
