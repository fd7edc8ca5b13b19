#include "power/log/values.h"

#include <cmath>
#include <string>

#include "gpubench/core/error.h"
#include "log_text.h"
#include "support/catch.h"
#include "support/scoped_variable.h"

namespace gpubench::test::values_test {
namespace {

constexpr double kNoon = 1702814400;  // 2023-12-17 12:00:00 UTC.

bool is_at(const Measured<Stamp>& stamp, double local) {
  return stamp.has_value() && std::abs(stamp.value().local.value - local) < 1e-6;
}

}  // namespace

TEST_CASE("time stamps are read in the formats of common programs") {
  CHECK(is_at(parse_stamp("2024/02/29 12:00:00"), kNoon + 74 * 86400));
  CHECK(is_at(parse_stamp("Sun Dec 17 12:00:00 2023 +0100"), kNoon));
  CHECK(parse_stamp("2023-12-17 12:00:00 -05:30").value().utc_offset == Seconds{-19800});
  CHECK_FALSE(parse_stamp("2023-12-17 12:00:00").value().utc_offset.has_value());
  for (const std::string wrong :
       {"", "2023/12-17 12:00:00", "2023/12/17", "2023/12/17 12:00", "2023/00/17 12:00:00",
        "2023/12/17 12:00:60", "2023/12/17 12:00:00 CET", "2023/12/17 12:00:00 +15:00"}) {
    INFO(wrong);
    CHECK_FALSE(parse_stamp(wrong).has_value());
  }
}

TEST_CASE("a UTC offset is read in its common forms") {
  CHECK(parse_utc_offset("+01:00", "--time-zone") == Seconds{3600});
  CHECK(parse_utc_offset("-0530", "--time-zone") == Seconds{-19800});
  CHECK(parse_utc_offset("+02", "--time-zone") == Seconds{7200});
  CHECK(parse_utc_offset("Z", "--time-zone") == Seconds{0});
  for (const std::string wrong : {"", "1", "+", "+25:00", "+01:75", "CET", "+01:00 "}) {
    INFO(wrong);
    CHECK_THROWS_AS(parse_utc_offset(wrong, "--time-zone"), Error);
  }
}

TEST_CASE("stamps without a zone are local time, including daylight saving time") {
  const ScopedVariable zone("TZ", "CET-1CEST,M3.5.0,M10.5.0/3");
  const PowerLog log = read_text("2023/12/17 12:00:00.000, 1.00 W\n2024/06/16 12:00:00.000, 2.00 W\n", {});
  CHECK(list_times(log.traces[0], kNoon) == std::vector<double>{-3600, 182 * 86400.0 - 7200});
  CHECK(log.notes ==
        std::vector<std::string>{
            "time stamps without a zone were read as UTC+01:00, UTC+02:00, this machine's local time"});
}

}  // namespace gpubench::test::values_test
