#include "gpubench/core/measured.h"

#include "support/catch.h"

namespace gpubench::test::measured_test {

TEST_CASE("a present reading has its value and no reason") {
  const Measured<int> reading = 7;
  CHECK(reading.has_value());
  CHECK(reading.value() == 7);
  CHECK(reading.reason().empty());
}

TEST_CASE("an absent reading has a reason and refuses to give a value") {
  const Measured<int> reading = missing("no sensor");
  CHECK_FALSE(reading.has_value());
  CHECK(reading.reason() == "no sensor");
  CHECK_THROWS_AS(reading.value(), std::bad_optional_access);
}

TEST_CASE("what follows from a reading is absent for the same reason") {
  struct Figure {
    double value;
  };
  const auto halved = [](int value) { return value / 2.0; };
  const auto root = [](double value) -> Measured<double> {
    if (value < 0) return missing("below zero");
    return value;
  };
  CHECK(Measured<int>(3).then(halved) == Measured<double>(1.5));
  CHECK(Measured<int>(missing("no sensor")).then(halved).reason() == "no sensor");
  CHECK(Measured<double>(-1.0).then(root).reason() == "below zero");
  CHECK(Measured<Figure>(Figure{2}).then(&Figure::value) == Measured<double>(2.0));
}

}  // namespace gpubench::test::measured_test
