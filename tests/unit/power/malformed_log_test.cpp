// Error messages for malformed logs. The fuzz corpus has more such logs.

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

TEST_CASE("malformed logs are refused with the line, the problem and the remedy") {
  const std::string mac = "Sun Dec 17 12:56:33 2023 +0100";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"", "power.log: is empty; record it again"},
      {"hello\nworld\n",
       "power.log: 'hello' has an unknown format: no line has a date and a time; explain it, as in "
       "--log-format"},
      {kHeading, "power.log: no reading has a power; name a log that was recorded during the run"},
      {kHeading + kStamp + std::string(1, '\0') + "\n",
       "power.log: line 2: is not text; save the log as UTF-8"},
      {kHeading + std::string(70'000, 'x') + "\n", "power.log: line 2: longer than 64 KiB"},
      {"timestamp, temperature.gpu\n", "'timestamp, temperature.gpu' has an unknown format"},
      {"power.draw [W]\n1.00 W\n", "'power.draw [W]' has an unknown format: no column has a date and a time"},
      {kHeading + "2023/13/17 18:49:17.547, 1.00 W\n",
       "line 2: '2023/13/17 18:49:17.547, 1.00 W' is not a time such as 2023/12/17 18:49:17.547"},
      {kHeading + "2023/02/29 18:49:17.547, 1.00 W\n",
       "line 2: '2023/02/29 18:49:17.547, 1.00 W' has day 29, which month 2 lacks"},
      {kHeading + "1970/01/01 00:00:00.000, 1.00 W\n", "has year 1970, outside 2000 to 2100"},
      {kHeading + "2023/12/17 24:00:00.000, 1.00 W\n",
       "'2023/12/17 24:00:00.000, 1.00 W' is not a time such as"},
      {kHeading + "yesterday, 1.00 W\n",
       "has no readings; line 2: 'yesterday, 1.00 W' is not a time such as"},
      {kHeading + kStamp + "-3.00 W\n", "line 2: -3 W is negative; correct or remove the line"},
      {kHeading + kStamp + "nan W\n", "line 2: the power 'nan W' is not a number of watts"},
      {kHeading + kStamp + "inf\n", "line 2: the power 'inf' is not a number of watts"},
      {kHeading + kStamp + "1e400 W\n", "line 2: the power '1e400 W' is not a number of watts"},
      {kHeading + kStamp + "9999999 W\n",
       "line 2: 1e+07 W is implausible for 'GPU' of scope gpu-board (maximum 2500 W)"},
      {kHeading + kStamp + "230.71 kW\n", "line 2: 230710 W is implausible for 'GPU' of scope gpu-board"},
      {kHeading + kStamp + "1.00 W, 2.00 W\n",
       "line 2: '2023/12/17 18:49:17.547, 1.00 W, 2.00 W' has 3 fields"},
      {kHeading + "No devices were found\n",
       "has no readings; line 2: 'No devices were found' has 1 of 2 fields"},
      {"timestamp, index, power.draw [W]\n" + kStamp + "x, 1.00 W\n",
       "line 2: 'x' is not the index of a GPU"},
      {block("Sun Dez 17 12:56:33 2023", "1003.00ms", "GPU Power: 1 mW"),
       "line 2: 'Sun Dez 17 12:56:33 2023' is not a time such as"},
      {block(mac, "0.00ms", "GPU Power: 1 mW"), "line 2: no elapsed time between 0 s and 1 day"},
      {block(mac, "1003.00ms", "GPU Power: 1 kg"), "line 2: the power '1 kg' is not a number of watts"},
      {block(mac, "1003.00ms", "GPU Power: -1 mW"), "line 2: -0.001 W is negative"},
      {block(mac, "1003.00ms", "GPU Power: 1e12 mW"),
       "line 2: 1e+09 W is implausible for 'GPU' of scope gpu-rail"},
      {block(mac, "1003.00ms", "GPU idle residency: 99%"), "has an unknown format"},
      {kRaw + "1.0,nvml,GPU,cuda:0,gpu-board,5\n", "line 2: has 6 fields instead of 11"},
      {kRaw + "1.0,nvml,GPU,cuda:0,gpu-bored,5,,,,,\n", "line 2: unknown scope 'gpu-bored'"},
      {kRaw + "1.0,,GPU,cuda:0,gpu-board,5,,,,,\n", "line 2: the second field names no meter"},
      {kRaw + "soon,nvml,GPU,cuda:0,gpu-board,5,,,,,\n", "line 2: 'soon' is not a number up to"},
      {kRaw + "1.0,nvml,GPU,cuda:0,gpu-board,1e16,,,,,\n", "line 2: '1e16' is not a number up to"}};
  for (const auto& [text, message] : cases) {
    INFO(text.substr(0, 200));
    const std::string refusal = find_refusal(text);
    CHECK_THAT(refusal, contains_text(message));
    CHECK(refusal.starts_with("power.log: "));
    CHECK(refusal.find('\n') == std::string::npos);
  }
}

}  // namespace gpubench::test::malformed_log_test
