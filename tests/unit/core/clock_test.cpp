#include "gpubench/core/clock.h"

#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

#include "support/catch.h"

namespace gpubench::test::clock_test {

TEST_CASE("the steady clock counts seconds and never goes back") {
  const SteadyClock clock;
  const Seconds before = clock.now();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const Seconds after = clock.now();
  CHECK((after - before).value >= 0.02);
  CHECK((after - before).value < 20);
}

TEST_CASE("a time stamp is the present in UTC, whatever the time zone") {
  const std::string text = utc_timestamp();
  REQUIRE(text.size() == 20);
  std::tm parsed{};
  REQUIRE(strptime(text.c_str(), "%Y-%m-%dT%H:%M:%SZ", &parsed) == text.c_str() + text.size());
  CHECK(std::abs(std::difftime(timegm(&parsed), std::time(nullptr))) < 5);
}

}  // namespace gpubench::test::clock_test
