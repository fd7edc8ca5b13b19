#include "gpubench/core/text/quantities.h"

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::duration_test {
namespace {

double seconds(const std::string& text) { return parse_duration(text, "--timeout").value; }

std::string refusal(const std::string& text) {
  try {
    return "accepted as " + std::to_string(seconds(text));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
}

}  // namespace

TEST_CASE("a duration has one unit, or several in descending order") {
  CHECK(seconds("90s") == 90);
  CHECK(seconds("1.5m") == 90);
  CHECK(seconds("20m") == 1200);
  CHECK(seconds("1h30m") == 5400);
  CHECK(seconds("1d1h1m1s") == 90061);
  CHECK(seconds("500ms") == approx(0.5));
  CHECK(seconds("1m500ms") == approx(60.5));
}

TEST_CASE("invalid durations are refused with the option and an example") {
  for (const std::string text : {"", "-5", "+5", "s", "1..5s", ".", "5 m", "inf", "nan", "m5", "\xc2\xbd"}) {
    CAPTURE(text);
    CHECK(refusal(text) == "--timeout '" + text + "': not a duration; write 90s, 20m or 1h30m");
  }
  CHECK_THAT(refusal(std::string(400, '9')), contains_text("not a duration"));
}

TEST_CASE("unknown, missing, repeated or unordered units are refused with the known units") {
  for (const std::string text : {"5x", "1e3", "0x10", "5M", "5min", "1h30", "30m1h", "1m1m", "90ss"}) {
    CAPTURE(text);
    CHECK_THAT(refusal(text), contains_text("--timeout '" + text + "': unknown unit or wrong order"));
  }
}

TEST_CASE("durations are printed in their two largest units") {
  CHECK(duration_text({0}) == "0 s");
  CHECK(duration_text({45.4}) == "45 s");
  CHECK(duration_text({59.6}) == "1 min 00 s");
  CHECK(duration_text({185}) == "3 min 05 s");
  CHECK(duration_text({3600}) == "1 h 00 min");
  CHECK(duration_text({7800}) == "2 h 10 min");
  CHECK(duration_text({100 * 3600}) == "100 h 00 min");
}

}  // namespace gpubench::test::duration_test
