// Scales, ticks and texts that charts are made of.

#include <cmath>
#include <limits>

#include "formats/chart/chart.h"
#include "formats/parts/page_text.h"
#include "support/catch.h"

namespace gpubench::test::chart_test {
namespace {

using Values = std::vector<double>;

std::vector<std::string> labels(const Values& ticks, const std::string& unit) {
  std::vector<std::string> texts;
  for (const double tick : ticks) texts.push_back(tick_label(tick, unit));
  return texts;
}

Values linear_ticks(Range range, int most) { return axis_ticks({"time"}, {1}, range, most); }

/// Of an axis that shows the value, among others of its kind.
Values logarithmic_ticks(Range range, int most, double value = 3) {
  return axis_ticks({"batch", "", true}, {value}, range, most);
}

}  // namespace

TEST_CASE("ticks of a linear axis are round, inside the range and not more than asked for") {
  CHECK(linear_ticks({0, 10}, 5) == Values{0, 2, 4, 6, 8, 10});
  CHECK(linear_ticks({0, 1.04}, 4) == Values{0, 0.5, 1});
  CHECK(labels(linear_ticks({0.05, 0.32}, 5), "") == std::vector<std::string>{"0.1", "0.2", "0.3"});
  CHECK(linear_ticks({-7, 4}, 4) == Values{-5, 0});
}

TEST_CASE("ticks of a logarithmic axis are powers of ten, with steps between where it spans few") {
  CHECK(logarithmic_ticks({0.9, 1100}, 6) == Values{1, 10, 100, 1000});
  CHECK(logarithmic_ticks({0.8, 6}, 6) == Values{1, 2, 3, 5});
  CHECK(logarithmic_ticks({1.1, 1.4}, 6).size() >= 3);
  const Values decades = logarithmic_ticks({1e-200, 1e200}, 6);
  CHECK(decades.size() <= 7);
  CHECK(decades.size() >= 3);
}

TEST_CASE("ticks of batch sizes are powers of two") {
  CHECK(logarithmic_ticks({15, 140}, 8, 64) == Values{16, 32, 64, 128});
  CHECK(logarithmic_ticks({0.9, 5000}, 6, 64) == Values{1, 8, 64, 512, 4096});
}

TEST_CASE("a range holds what an axis can show, and is never empty") {
  const double infinite = std::numeric_limits<double>::infinity();
  CHECK(compute_range({}, false).high > compute_range({}, false).low);
  CHECK(compute_range({}, true).low > 0);
  CHECK(compute_range({infinite, std::nan("")}, false).high == 1);
  CHECK(compute_range({0, -3}, true).low > 0);
  CHECK(compute_range({7, 7}, false).low < 7);
  CHECK(compute_range({7, 7}, true).high > 7);
  CHECK(compute_range({0, 0}, false).high > 0);
  CHECK(compute_range({0, 5}, false).low == 0);
  CHECK(compute_range({-5, 0}, false).high == 0);
}

TEST_CASE("a scale puts values between its ends, also those outside of its range") {
  const Scale linear{{0, 10}, false, 100, 200};
  CHECK(linear.at(5) == approx(150));
  CHECK(linear.at(50) == approx(200));
  const Scale logarithmic{{1, 100}, true, 300, 100};
  CHECK(logarithmic.at(10) == approx(200));
  CHECK(logarithmic.at(0) == approx(300));
}

TEST_CASE("ticks have prefixes where a unit takes them, and no seconds in thousands") {
  CHECK(labels({0.001, 0.02, 1, 3600}, "s") == std::vector<std::string>{"1 ms", "20 ms", "1 s", "3600 s"});
  CHECK(labels({0, 1000, 2.5e12}, "FLOP/s") ==
        std::vector<std::string>{"0 FLOP/s", "1 kFLOP/s", "2.5 TFLOP/s"});
  CHECK(labels({0.5, 2}, "x") == std::vector<std::string>{"0.5×", "2×"});
  CHECK(labels({1024, 65536, 200000}, "samples") == std::vector<std::string>{"1024", "65536", "200k"});
  CHECK(labels({1e30, 1e-30}, "J") == std::vector<std::string>{"1e+30 J", "1e-30 J"});
}

TEST_CASE("text is escaped for tags and attributes alike") {
  CHECK(escaped("<a href=\"x\">'&'</a>") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  CHECK(escaped("tab\tline\nµ×😀") == "tab\tline\nµ×😀");
}

TEST_CASE("control characters and bytes that are not UTF-8 become replacement characters") {
  const std::string mark = "\xef\xbf\xbd";
  CHECK(escaped("\x1b[0m") == mark + "[0m");
  CHECK(escaped(std::string(1, '\0')) == mark);
  CHECK(escaped("\xff\xc0\xaf") == mark + mark + mark);
  CHECK(escaped("\xed\xa0\x80") == mark + mark + mark);
  CHECK(escaped("\xe2\x82") == mark + mark);
  CHECK(escaped("\xc2\x85\xef\xbf\xbf") == mark + mark);
}

TEST_CASE("text that is too long for its place ends in an ellipsis, between characters") {
  CHECK(shortened("short", 100) == "short");
  const std::string cut = shortened("µµµµµµµµµµµµµµµµµµµµ", 60);
  CHECK_THAT(cut, contains_text("…"));
  CHECK(escaped(cut) == cut);
  CHECK(text_width(cut) <= 60);
}

}  // namespace gpubench::test::chart_test
