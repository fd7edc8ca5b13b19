#include "gpubench/core/reading.h"

#include "support/catch.h"

namespace gpubench::test {

TEST_CASE("a present reading has its value and no reason") {
  const Reading<int> reading = 7;
  CHECK(reading.has_value());
  CHECK(reading.value() == 7);
  CHECK(reading.reason().empty());
}

TEST_CASE("an absent reading has a reason and refuses to give a value") {
  const Reading<int> reading = absent("no sensor");
  CHECK_FALSE(reading.has_value());
  CHECK(reading.reason() == "no sensor");
  CHECK_THROWS_AS(reading.value(), std::bad_optional_access);
}

TEST_CASE("readings are equal if value and reason are") {
  CHECK(Reading<int>(1) == Reading<int>(1));
  CHECK_FALSE(Reading<int>(1) == Reading<int>(2));
  CHECK_FALSE(Reading<int>(absent("a")) == Reading<int>(absent("b")));
}

TEST_CASE("what follows from a reading is absent for the same reason") {
  struct Figure {
    double value;
  };
  const auto halved = [](int value) { return value / 2.0; };
  const auto root = [](double value) -> Reading<double> {
    if (value < 0) return absent("below zero");
    return value;
  };
  CHECK(Reading<int>(3).then(halved) == Reading<double>(1.5));
  CHECK(Reading<int>(absent("no sensor")).then(halved).reason() == "no sensor");
  CHECK(Reading<double>(-1.0).then(root).reason() == "below zero");
  CHECK(Reading<Figure>(Figure{2}).then(&Figure::value) == Reading<double>(2.0));
}

}  // namespace gpubench::test
