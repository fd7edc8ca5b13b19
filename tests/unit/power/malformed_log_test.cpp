// What is said of malformed logs; the fuzz corpus has more of them.

#include <string>
#include <utility>
#include <vector>

#include "log_text.h"
#include "support/catch.h"

namespace gpubench::test::malformed_log_test {
namespace {

const std::string kHeading = "timestamp, power.draw [W]\n";
const std::string kRaw = std::string(kRawLogHeader) + "\n";
const std::string kStamp = "2023/12/17 18:49:17.547, ";

std::string block(const std::string& when, const std::string& elapsed, const std::string& rest) {
  return "*** Sampled system activity (" + when + ") (" + elapsed + " elapsed) ***\n" + rest + "\n";
}

}  // namespace

TEST_CASE("malformed logs are refused with the line, what is wrong there and what to do") {
  const std::string mac = "Sun Dec 17 12:56:33 2023 +0100";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "power.log: is empty; record it again"},
      {"hello\nworld\n", "power.log: has no lines with a time and a power; see docs/power-logs.md"},
      {kHeading, "power.log: has no reading with a power; name a log that was recorded during the run"},
      {kHeading + kStamp + std::string(1, '\0') + "\n",
       "power.log: line 2: is no text; save the log as UTF-8 text"},
      {kHeading + std::string(70'000, 'x') + "\n", "power.log: line 2: is longer than 64 KiB"},
      {"timestamp, temperature.gpu\n",
       "line 1: no heading says that its column is power (timestamp, temperature.gpu)"},
      {"power.draw [W]\n1.00 W\n", "line 1: no column has a date and a time (power.draw, [W])"},
      {kHeading + "2023/13/17 18:49:17.547, 1.00 W\n",
       "line 2: '2023/13/17 18:49:17.547, 1.00 W' is no time such as 2023/12/17 18:49:17.547 or Sun Dec"},
      {kHeading + "2023/02/29 18:49:17.547, 1.00 W\n",
       "line 2: '2023/02/29 18:49:17.547, 1.00 W' has the day 29, which month 2 lacks"},
      {kHeading + "1970/01/01 00:00:00.000, 1.00 W\n", "has the year 1970, not 2000 to 2100"},
      {kHeading + "2023/12/17 24:00:00.000, 1.00 W\n",
       "'2023/12/17 24:00:00.000, 1.00 W' is no time such as"},
      {kHeading + "yesterday, 1.00 W\n", "has no readings; line 2: 'yesterday, 1.00 W' is no time such as"},
      {kHeading + kStamp + "-3.00 W\n", "line 2: -3 W is negative; correct or remove the line"},
      {kHeading + kStamp + "nan W\n", "line 2: the power 'nan W' is not a number of watts"},
      {kHeading + kStamp + "inf\n", "line 2: the power 'inf' is not a number of watts"},
      {kHeading + kStamp + "1e400 W\n", "line 2: the power '1e400 W' is not a number of watts"},
      {kHeading + kStamp + "9999999 W\n",
       "line 2: 1e+07 W is more than 'GPU' of scope gpu-board takes (at most 2500 W)"},
      {kHeading + kStamp + "230.71 kW\n", "line 2: 230710 W is more than 'GPU' of scope gpu-board takes"},
      {kHeading + kStamp + "1.00 W, 2.00 W\n",
       "line 2: '2023/12/17 18:49:17.547, 1.00 W, 2.00 W' has 3 fields"},
      {kHeading + "No devices were found\n",
       "has no readings; line 2: 'No devices were found' has 1 of 2 fields"},
      {"timestamp, index, power.draw [W]\n" + kStamp + "x, 1.00 W\n",
       "line 2: 'x' is not the index of a GPU"},
      {block("Sun Dez 17 12:56:33 2023", "1003.00ms", "GPU Power: 1 mW"),
       "line 1: 'Sun Dez 17 12:56:33 2023' is no time such as"},
      {block(mac, "0.00ms", "GPU Power: 1 mW"), "line 1: has no elapsed time between 0 and a day"},
      {block(mac, "1003.00s", "GPU Power: 1 mW"), "line 1: has no elapsed time between 0 and a day"},
      {block(mac, "1003.00ms", "GPU Power: 1 kg"), "line 2: 'GPU Power: 1 kg' is no power in W or mW"},
      {block(mac, "1003.00ms", "GPU Power: -1 mW"), "line 1: -0.001 W is negative"},
      {block(mac, "1003.00ms", "GPU Power: 1e12 mW"),
       "line 1: 1e+09 W is more than 'GPU' of scope gpu-rail takes"},
      {block(mac, "1003.00ms", "GPU idle residency: 99%"), "power.log: has no reading with a power"},
      {kRaw + "1.0,nvml,GPU,cuda:0,gpu-board,5\n", "line 2: has 6 fields where 11 belong"},
      {kRaw + "1.0,nvml,GPU,cuda:0,gpu-bored,5,,,,,\n", "line 2: unknown scope 'gpu-bored'"},
      {kRaw + "1.0,,GPU,cuda:0,gpu-board,5,,,,,\n", "line 2: names no meter in its second field"},
      {kRaw + "soon,nvml,GPU,cuda:0,gpu-board,5,,,,,\n", "line 2: 'soon' is no number up to"},
      {kRaw + "1.0,nvml,GPU,cuda:0,gpu-board,1e16,,,,,\n", "line 2: '1e16' is no number up to"}};
  for (const auto& [text, message] : cases) {
    INFO(text.substr(0, 200));
    const std::string said = find_refusal(text);
    CHECK_THAT(said, contains_text(message));
    CHECK(said.starts_with("power.log: "));
    CHECK(said.find('\n') == std::string::npos);
  }
}

}  // namespace gpubench::test::malformed_log_test
