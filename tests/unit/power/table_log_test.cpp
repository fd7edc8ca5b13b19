#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "../data/files.h"
#include "log_text.h"
#include "support/catch.h"
#include "support/paths.h"

namespace gpubench::test::table_log_test {
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

TEST_CASE("columns are found by their headings, and each GPU has a trace") {
  const PowerLog log = read_power_log(kFolder + "nvidia-smi-two.csv", by_utc());
  REQUIRE(log.traces.size() == 2);
  CHECK(log.traces[0].facts.part == "GPU 0 NVIDIA H200");
  CHECK(log.traces[0].facts.gpu.index == 0);
  CHECK(log.traces[1].facts.part == "GPU 1 NVIDIA H200");
  CHECK(log.traces[1].facts.gpu.index == 1);
  CHECK(parse_watts(log.traces[0]) == Numbers{70.1, 400.25, 655.5, 610.75});
  CHECK(parse_watts(log.traces[1]) == Numbers{72.3, 71.9, 72.4, -1});
  CHECK(is_close(list_times(log.traces[1], kStart), {0.002, 0.502, 1.002, 1.502}));
  const PowerReading& reading = log.traces[0].samples[3].reading;
  CHECK(reading.temperature.value() == Celsius{46});
  CHECK(reading.clock.value() == Hertz{1.89e9});
  CHECK(reading.limit.value() == Watts{700});
  CHECK(log.traces[1].samples[3].reading.power.reason() == "[N/A]");
  CHECK_THAT(join(log.notes, "; "), contains_text("readings without a value: 1 of 8"));
}

TEST_CASE("headings may be missing, repeated, reordered, and change later") {
  CHECK(parse_watts(read_text(kLine).traces[0]) == Numbers{230.71});
  const std::string text = kHeading + kLine + "\n" + kHeading +
                           "power.draw [W], temperature.gpu, timestamp\n"
                           "17.00 W, 40, 2023/12/17 18:49:18.547\n";
  const PowerLog log = read_text(text);
  CHECK(parse_watts(log.traces[0]) == Numbers{230.71, 17});
  CHECK(log.traces[0].samples[1].reading.temperature.value() == Celsius{40});
}

TEST_CASE("numbers without units, other line ends, a byte order mark and quotes are read") {
  CHECK(parse_watts(
            read_text("\xef\xbb\xbftimestamp, power.draw [W]\r\n2023/12/17 18:49:17.547, 230.71\r\n\r\n")
                .traces[0]) == Numbers{230.71});
  CHECK(parse_watts(read_text("\"timestamp\",\"power.draw [W]\"\n\"2023/12/17 18:49:17.547\",\"230.71 W\"\n")
                        .traces[0]) == Numbers{230.71});
  CHECK(parse_watts(read_text("2023-12-17T18:49:17,230.71 W\n").traces[0]) == Numbers{230.71});
}

TEST_CASE("decimal commas are read if they are unambiguous") {
  CHECK(parse_watts(read_text(kHeading + "2023/12/17 18:49:17.547, 230,71 W\n").traces[0]) ==
        Numbers{230.71});
  CHECK(parse_watts(read_text("2023/12/17 18:49:17,547;230,71 W\n").traces[0]) == Numbers{230.71});
  CHECK(parse_watts(read_text("timestamp, power.draw [W], clocks.sm [MHz]\n"
                              "2023/12/17 18:49:17.547, 230,71 W, 1500,50 MHz\n")
                        .traces[0]) == Numbers{230.71});
  CHECK(parse_watts(read_text(kHeading + "2023/12/17 18:49:17.547, 230,71\n").traces[0]) == Numbers{230.71});
  // Two neighbouring integers remain two fields.
  const PowerLog two = read_text("timestamp,index,power.draw [W]\n2023/12/17 18:49:17.547,0,71 W\n");
  CHECK(parse_watts(two.traces[0]) == Numbers{71});
  CHECK(two.traces[0].facts.gpu.index == 0);
}

TEST_CASE("an ambiguous comma is refused with its line") {
  CHECK_THAT(find_refusal("timestamp,power.draw [W]\n2023/12/17 18:49:18.547,230,71\n"),
             contains_text("power.log: line 2: '2023/12/17 18:49:18.547,230,71' has 3 fields instead of 2; "
                           "if commas are decimal signs, record with LC_ALL=C"));
  CHECK_THAT(find_refusal("timestamp, power.draw [W], power.limit [W]\n2023/12/17 18:49:18.547, 230,71 W\n"),
             contains_text("line 2: '2023/12/17 18:49:18.547, 230,71 W' has 2 of 3 fields"));
}

TEST_CASE("nvidia-smi's texts for missing values are not readings") {
  const std::string text = kHeading + kLine +
                           "2023/12/17 18:49:18.547, [N/A]\n2023/12/17 18:49:19.547, [Not Supported]\n"
                           "2023/12/17 18:49:20.547, [Unknown Error]\n2023/12/17 18:49:21.547, 5.00 W\n";
  const PowerLog log = read_text(text);
  CHECK(parse_watts(log.traces[0]) == Numbers{230.71, -1, -1, -1, 5});
  CHECK(log.traces[0].samples[2].reading.power.reason() == "[Not Supported]");
  CHECK(log.traces[0].samples[0].reading.temperature.reason() == "not in the log");
  CHECK_THAT(join(log.notes, "; "), contains_text("readings without a value: 3 of 5"));
  CHECK_THAT(find_refusal(kHeading + "2023/12/17 18:49:18.547, [N/A]\n"),
             contains_text("power.log: no reading has a power"));
}

TEST_CASE("stamps are sorted, and the last reading of equal stamps is used") {
  const PowerLog log =
      read_text(kHeading + "2023/12/17 18:49:19.547, 1.00 W\n2023/12/17 18:49:17.547, 2.00 W\n" +
                "2023/12/17 18:49:18.547, 3.00 W\n2023/12/17 18:49:17.547, 4.00 W\n");
  CHECK(parse_watts(log.traces[0]) == Numbers{4, 3, 1});
  CHECK(is_close(list_times(log.traces[0], kStart), {0, 1, 2}));
  CHECK_THAT(join(log.notes, "; "), contains_text("time stamps out of order, sorted: 2"));
  CHECK_THAT(join(log.notes, "; "),
             contains_text("repeated time stamps, the last reading of each is used: 1"));
}

TEST_CASE("an incomplete last line is ignored with a note") {
  for (const std::string cut : {"2023/12/17 18:49:18.547, 23", "2", "2023/12/17 18:49:18.547, 230.71 W"}) {
    const PowerLog log = read_text(kHeading + kLine + cut);
    CHECK(parse_watts(log.traces[0]) == Numbers{230.71});
    CHECK_THAT(join(log.notes, "; "), contains_text("the incomplete last line was ignored"));
  }
}

TEST_CASE("a zone in the stamp overrides the option, and a clock offset is added to both") {
  PowerLogOptions options;
  options.utc_offset = Seconds{3600};
  options.clock_offset = Seconds{-2.5};
  const PowerLog log =
      read_text(kHeading +
                    "2023/12/17 18:49:17.547, 1.00 W\n2023-12-17T18:49:17.547Z, 2.00 W\n"
                    "2023-12-17 18:49:17.547 +02:00, 3.00 W\n2023-12-17 10:49:17.547-0830, 4.00 W\n",
                options);
  CHECK(parse_watts(log.traces[0]) == Numbers{3, 1, 2, 4});
  CHECK(is_close(list_times(log.traces[0], kStart), {-7202.5, -3602.5, -2.5, 1797.5}));
  CHECK_THAT(join(log.notes, "; "), contains_text("time stamps without a zone were read as UTC+01:00"));
}

TEST_CASE("power.draw.instant is preferred to power.draw, and an average has its averaging time") {
  const PowerLog both = read_text(
      "timestamp, power.draw [W], power.draw.instant [W]\n2023/12/17 18:49:17.547, 1.00 W, 2.00 W\n");
  CHECK(parse_watts(both.traces[0]) == Numbers{2});
  CHECK(both.traces[0].facts.power_quantity == "instantaneous power");
  const PowerLog average = read_text("timestamp, power.draw.average [W]\n2023/12/17 18:49:17.547, 1.00 W\n");
  CHECK(average.traces[0].facts.averaging == Seconds{1});
}

TEST_CASE("separators, time formats and units of many tools are read") {
  const auto first_watts = [](const std::string& text) { return parse_watts(read_text(text).traces[0])[0]; };
  const auto first_time = [](const std::string& text) {
    return read_text(text).traces[0].samples[0].time.value;
  };
  CHECK(first_watts("Time,Power (mW)\n2023-12-17 18:49:17.547,230710\n") == 230.71);
  CHECK(first_watts("time\twatts\n2023-12-17T18:49:17.547\t230.71\n") == 230.71);
  CHECK(first_watts("time,power_kw\n1702838957.547,0.2\n") == 200);
  CHECK(first_watts("time;Power [W]\n2023-12-17 18:49:17.547;230,71\n") == 230.71);
  CHECK(first_watts("ts,note,power\n1702838957.547,\"a, b\",20000 mW\n") == 20);
  for (const std::string stamp :
       {"1702838957.547", "1702838957547", "1702838957547000", "1702838957547000000",
        "17.12.2023 18:49:17.547", "2023-12-17T18:49:17.547Z", "20231217 18:49:17.547",
        "2023-12-17 18:49:17.547000+00:00"}) {
    INFO(stamp);
    CHECK(std::abs(first_time("timestamp,power_w\n" + stamp + ",200\n") - kStart) < 1e-4);
  }
  CHECK(std::abs(first_time("timestamp,power_w\n2023-12-17 18:49:17,547,200\n") - kStart) < 1e-6);
  CHECK(std::abs(first_time("2023-12-17 18:49:17,547,200.0 W\n") - kStart) < 1e-6);
  CHECK(std::abs(first_time("Date,Time,GPU Power [W]\n17.12.2023,18:49:17.547,200\n") - kStart) < 1e-6);
}

TEST_CASE("half a second is added to stamps of whole seconds, which are rounded down") {
  const PowerLog log = read_text("time,power_w\n2023-12-17 18:49:17,1\n2023-12-17 18:49:18,2\n");
  CHECK(is_close(list_times(log.traces[0], kStart), {-0.047, 0.953}));
  CHECK_THAT(join(log.notes, "; "),
             contains_text("time stamps are whole seconds: times may be off by 0.5 s"));
}

TEST_CASE("a gzip file is decompressed") {
  const std::string text = kHeading + kLine;
  const PowerLog log = read_text(gzip(text));
  CHECK(parse_watts(log.traces[0]) == Numbers{230.71});
  CHECK_THAT(join(log.notes, "; "), contains_text("the file was decompressed"));
  CHECK_THAT(find_refusal(gzip(text).substr(0, 40)), contains_text("cannot be decompressed"));
}

TEST_CASE("readings of several GPUs without a column that identifies the GPU are refused") {
  // nvidia-smi writes mostly the same stamp for all GPUs, and sometimes a millisecond more.
  for (const int gpus : {2, 3, 8, 16}) {
    for (const double spread : {0.0, 0.001, 0.005}) {
      std::string text = kHeading;
      for (int moment = 0; moment < 30; ++moment) {
        for (int gpu = 0; gpu < gpus; ++gpu) {
          text += fmt::format("2023/12/17 18:49:{:06.3f}, {:.2f} W\n", 10 + moment * 0.25 + gpu * spread,
                              gpu == 0 ? 290 : 63 + 0.01 * moment);
        }
      }
      INFO(gpus << " GPUs, " << spread << " s apart");
      CHECK_THAT(find_refusal(text), contains_text(fmt::format("has {} readings per time stamp", gpus)) &&
                                         contains_text("device=COLUMN or part=COLUMN in --log-format"));
    }
  }
}

TEST_CASE("an index that is 0 in all lines is ignored if another column identifies the GPUs") {
  const PowerLog log = read_text(
      "gpu, timestamp, index, power.draw [W]\n0, 2023/12/17 18:49:17.100, 0, 61 W\n"
      "3, 2023/12/17 18:49:17.140, 0, 398 W\n0, 2023/12/17 18:49:18.100, 0, 61 W\n");
  REQUIRE(log.traces.size() == 2);
  CHECK(log.traces[1].facts.part == "GPU 3");
  CHECK(log.traces[1].facts.gpu.index == 3);
  const PowerLog by_uuid = read_text(
      "timestamp, index, uuid, power.draw [W]\n2023/12/17 18:49:17.100, 0, GPU-aa, 61 W\n"
      "2023/12/17 18:49:17.140, 0, GPU-bb, 398 W\n");
  REQUIRE(by_uuid.traces.size() == 2);
  CHECK_FALSE(by_uuid.traces[0].facts.gpu.index.has_value());
  CHECK(by_uuid.traces[1].facts.part == "GPU 0 GPU-bb");
}

TEST_CASE("a few foreign lines are skipped and counted, many are refused") {
  const std::string foreign = "Unable to determine the device handle for GPU0000:3B:00.0: Unknown Error\n";
  const PowerLog log = read_text(foreign + kHeading + foreign + kLine + "slurmstepd: error: killed, now\n");
  CHECK(parse_watts(log.traces[0]) == Numbers{230.71});
  CHECK_THAT(join(log.notes, "; "), contains_text("lines without a reading, skipped: 2; the first: line 3: "
                                                  "'Unable to determine the device handle"));
  std::string many = kHeading + kLine;
  for (int i = 0; i < 30; ++i) many += foreign;
  CHECK_THAT(find_refusal(many), contains_text("correct or remove the 30 foreign lines beside 1 readings"));
}

}  // namespace gpubench::test::table_log_test
