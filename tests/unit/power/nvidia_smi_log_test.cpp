#include <cmath>
#include <string>
#include <vector>

#include "log_text.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test {
namespace {

const std::string kFolder = fixtures_dir() + "/power/";
constexpr double kStart = 1702838957.547;  // 2023-12-17 18:49:17.547 UTC.
const std::string kHeading = "timestamp, power.draw [W]\n";
const std::string kLine = "2023/12/17 18:49:17.547, 230.71 W\n";

using Numbers = std::vector<double>;

bool is_close(const Numbers& a, const Numbers& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::abs(a[i] - b[i]) > 1e-6) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("a log of nvidia-smi is read with its times and watts") {
  const PowerLog log = read_power_log(kFolder + "nvidia-smi.csv", by_utc());
  CHECK(log.format == "nvidia-smi");
  CHECK_FALSE(log.is_monotonic);
  REQUIRE(log.traces.size() == 1);
  const PowerTrace& trace = log.traces[0];
  CHECK(trace.facts.meter == "nvidia-smi");
  CHECK(trace.facts.part == "GPU");
  CHECK(trace.facts.device.empty());
  CHECK(trace.facts.scope == PowerScope::kGpuBoard);
  CHECK(trace.facts.is_replayed);
  CHECK(watts_of(trace) ==
        Numbers{34.12, 61.5, 228.31, 230.71, 229.87, 231.02, 230.15, 229.44, 231.9, 230.66, 120.05, 35.2});
  CHECK(is_close(times_of(trace, kStart),
                 {0, 1.002, 2.004, 3.006, 4.008, 5.01, 6.012, 7.014, 8.016, 9.018, 10.02, 11.022}));
}

TEST_CASE("further columns are found by their headings, and each GPU has a trace") {
  const PowerLog log = read_power_log(kFolder + "nvidia-smi-two.csv", by_utc());
  REQUIRE(log.traces.size() == 2);
  CHECK(log.traces[0].facts.part == "GPU 0 NVIDIA H200");
  CHECK(log.traces[0].facts.device == "cuda:0");
  CHECK(log.traces[1].facts.part == "GPU 1 NVIDIA H200");
  CHECK(log.traces[1].facts.device == "cuda:1");
  CHECK(watts_of(log.traces[0]) == Numbers{70.1, 400.25, 655.5, 610.75});
  CHECK(watts_of(log.traces[1]) == Numbers{72.3, 71.9, 72.4, -1});
  CHECK(is_close(times_of(log.traces[1], kStart), {0.002, 0.502, 1.002, 1.502}));
  const PowerReading& reading = log.traces[0].samples[3].reading;
  CHECK(reading.temperature.value() == Celsius{46});
  CHECK(reading.clock.value() == Hertz{1.89e9});
  CHECK(reading.limit.value() == Watts{700});
  CHECK(log.traces[1].samples[3].reading.power.reason() == "[N/A]");
  CHECK_THAT(join(log.notes, "; "), contains_text("1 of 8 readings have no value"));
}

TEST_CASE("headings may be absent, repeated, in another order and of other columns later on") {
  CHECK(watts_of(read_text(kLine).traces[0]) == Numbers{230.71});
  const std::string text = kHeading + kLine + "\n" + kHeading +
                           "power.draw [W], temperature.gpu, timestamp\n"
                           "17.00 W, 40, 2023/12/17 18:49:18.547\n";
  const PowerLog log = read_text(text);
  CHECK(watts_of(log.traces[0]) == Numbers{230.71, 17});
  CHECK(log.traces[0].samples[1].reading.temperature.value() == Celsius{40});
}

TEST_CASE("numbers without units, other line ends, a byte order mark and quotes are read") {
  CHECK(watts_of(read_text("\xef\xbb\xbftimestamp, power.draw [W]\r\n2023/12/17 18:49:17.547, 230.71\r\n\r\n")
                     .traces[0]) == Numbers{230.71});
  CHECK(watts_of(read_text("\"timestamp\",\"power.draw [W]\"\n\"2023/12/17 18:49:17.547\",\"230.71 W\"\n")
                     .traces[0]) == Numbers{230.71});
  CHECK(watts_of(read_text("2023-12-17T18:49:17,230.71 W\n").traces[0]) == Numbers{230.71});
}

TEST_CASE("a decimal comma is read where it cannot be anything else") {
  CHECK(watts_of(read_text(kHeading + "2023/12/17 18:49:17.547, 230,71 W\n").traces[0]) == Numbers{230.71});
  CHECK(watts_of(read_text(kHeading + "2023/12/17 18:49:17.547; 230,71 W\n").traces[0]) == Numbers{230.71});
  CHECK(watts_of(read_text("2023/12/17 18:49:17,547;230,71\n").traces[0]) == Numbers{230.71});
  CHECK(watts_of(read_text("timestamp, power.draw [W], clocks.sm [MHz]\n"
                           "2023/12/17 18:49:17.547, 230,71 W, 1500,50 MHz\n")
                     .traces[0]) == Numbers{230.71});
  // An integer beside another one stays two fields.
  const PowerLog two = read_text("timestamp,index,power.draw [W]\n2023/12/17 18:49:17.547,0,71 W\n");
  CHECK(watts_of(two.traces[0]) == Numbers{71});
  CHECK(two.traces[0].facts.device == "cuda:0");
}

TEST_CASE("a comma of which nobody can tell what it is is refused, with its line") {
  CHECK_THAT(
      refusal_of(kHeading + kLine + "2023/12/17 18:49:18.547, 230,71\n"),
      contains_text("power.log: line 3: '2023/12/17 18:49:18.547, 230,71' has 3 fields where 2 belong; "
                    "if its numbers have a decimal comma, record with LC_ALL=C"));
  CHECK_THAT(refusal_of("timestamp, power.draw [W], power.limit [W]\n2023/12/17 18:49:18.547, 230,71 W\n"),
             contains_text("line 2: has numbers with and without a unit, as if a decimal comma split one"));
}

TEST_CASE("what nvidia-smi writes where it knows nothing is no reading") {
  const std::string text = kHeading + kLine +
                           "2023/12/17 18:49:18.547, [N/A]\n2023/12/17 18:49:19.547, [Not Supported]\n"
                           "2023/12/17 18:49:20.547, [Unknown Error]\n2023/12/17 18:49:21.547, 5.00 W\n";
  const PowerLog log = read_text(text);
  CHECK(watts_of(log.traces[0]) == Numbers{230.71, -1, -1, -1, 5});
  CHECK(log.traces[0].samples[2].reading.power.reason() == "[Not Supported]");
  CHECK(log.traces[0].samples[0].reading.temperature.reason() == "not in the log");
  CHECK_THAT(join(log.notes, "; "), contains_text("3 of 5 readings have no value"));
  CHECK_THAT(refusal_of(kHeading + "2023/12/17 18:49:18.547, [N/A]\n"),
             contains_text("power.log: has no reading with a power"));
}

TEST_CASE("stamps are sorted, and the last reading of equal ones counts") {
  const PowerLog log =
      read_text(kHeading + "2023/12/17 18:49:19.547, 1.00 W\n2023/12/17 18:49:17.547, 2.00 W\n" +
                "2023/12/17 18:49:18.547, 3.00 W\n2023/12/17 18:49:17.547, 4.00 W\n");
  CHECK(watts_of(log.traces[0]) == Numbers{4, 3, 1});
  CHECK(is_close(times_of(log.traces[0], kStart), {0, 1, 2}));
  CHECK_THAT(join(log.notes, "; "), contains_text("sorted: 2 stamps are before the one above"));
  CHECK_THAT(join(log.notes, "; "), contains_text("1 stamps occur again"));
}

TEST_CASE("a last line that was cut off is left out, and said to be") {
  for (const std::string cut :
       {"2023/12/17 18:49:18.547, 23", "2023/12/17 18:4", "2", "2023/12/17 18:49:18.547, 230.71 "}) {
    const PowerLog log = read_text(kHeading + kLine + cut);
    CHECK(watts_of(log.traces[0]) == Numbers{230.71});
    CHECK_THAT(join(log.notes, "; "), contains_text("the last line has no end and was left out"));
  }
  CHECK(watts_of(read_text(kHeading + kLine + "2023/12/17 18:49:18.547, 17.00 W").traces[0]) ==
        Numbers{230.71, 17});
}

TEST_CASE("a zone in the stamp goes before the one that is given, and an offset is added to both") {
  PowerLogOptions options;
  options.utc_offset = Seconds{3600};
  options.clock_offset = Seconds{-2.5};
  const PowerLog log =
      read_text(kHeading +
                    "2023/12/17 18:49:17.547, 1.00 W\n2023-12-17T18:49:17.547Z, 2.00 W\n"
                    "2023-12-17 18:49:17.547 +02:00, 3.00 W\n2023-12-17 10:49:17.547-0830, 4.00 W\n",
                options);
  CHECK(watts_of(log.traces[0]) == Numbers{3, 1, 2, 4});
  CHECK(is_close(times_of(log.traces[0], kStart), {-7202.5, -3602.5, -2.5, 1797.5}));
  CHECK_THAT(join(log.notes, "; "), contains_text("stamps without a time zone were read as UTC+01:00"));
}

TEST_CASE("power.draw.instant goes before power.draw, and an average says over how long") {
  const PowerLog both = read_text(
      "timestamp, power.draw [W], power.draw.instant [W]\n2023/12/17 18:49:17.547, 1.00 W, 2.00 W\n");
  CHECK(watts_of(both.traces[0]) == Numbers{2});
  CHECK(both.traces[0].facts.power_quantity == "instantaneous power");
  const PowerLog average = read_text("timestamp, power.draw.average [W]\n2023/12/17 18:49:17.547, 1.00 W\n");
  CHECK(average.traces[0].facts.averaging == Seconds{1});
}

}  // namespace gpubench::test
