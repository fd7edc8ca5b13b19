#include "formats/chart/scale.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <ctime>
#include <utility>

#include <fmt/chrono.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

/// Returns true if the axis can show `value`: it is finite, and above 0 on a logarithmic axis.
bool can_show(double value, const Axis& axis) {
  // Within these bounds, differences and quotients of values are finite.
  constexpr double kLargest = 1e100;
  constexpr double kSmallest = 1e-100;
  constexpr double kYear9999 = 2.5e11;
  if (axis.is_time) return value >= 0 && value < kYear9999;
  return std::abs(value) <= kLargest && (!axis.is_logarithmic || value >= kSmallest);
}

/// Returns the range of `values` with some margin, which extends below 0 only for negative values.
Range compute_range(const std::vector<double>& values, const Axis& axis) {
  constexpr double kMargin = 0.04;  // Fraction of the range, at each end.
  if (values.empty()) return {1, 2};
  const auto [low, high] = std::ranges::minmax(values);
  if (axis.is_logarithmic) {
    const double factor = high > low * (1 + 1e-9) ? std::pow(high / low, kMargin) : 2;
    return {low / factor, high * factor};
  }
  const double size = std::max(std::abs(low), std::abs(high));
  double margin = kMargin * (high - low);
  constexpr double kLeastSeconds = 30;  // Ticks are at least a minute apart.
  if (axis.is_time)
    margin = std::max(margin, kLeastSeconds);
  else if (margin <= 1e-10 * size)
    margin = size == 0 ? 1 : 0.1 * size;
  return {low >= 0 ? std::max(0.0, low - margin) : low - margin, high + margin};
}

/// Returns about `most` multiples of 1, 2 or 5 times a power of ten.
std::vector<double> linear_ticks(Range range, int most) {
  const double rough = (range.high - range.low) / most;
  const double decade = std::pow(10.0, std::floor(std::log10(rough)));
  double step = 10 * decade;
  for (const double factor : {5.0, 2.0, 1.0}) {
    if (factor * decade >= rough * (1 - 1e-9)) step = factor * decade;
  }
  std::vector<double> ticks;
  const double last = std::floor(range.high / step + 1e-9);
  for (double i = std::ceil(range.low / step - 1e-9); i <= last; ++i) ticks.push_back(i == 0 ? 0 : i * step);
  return ticks;
}

/// Returns at most about `most` powers of the base, including 1 if it is in the range.
std::vector<double> list_powers(Range range, double base, int most) {
  const double first = std::ceil(std::log(range.low) / std::log(base) - 1e-9);
  const double last = std::floor(std::log(range.high) / std::log(base) + 1e-9);
  const double step = std::floor((last - first) / most) + 1;
  std::vector<double> ticks;
  for (double power = std::ceil(first / step) * step; power <= last; power += step)
    ticks.push_back(std::pow(base, power));
  return ticks;
}

/// Returns about `most` round values. On a logarithmic axis these are powers of two if all `values` are, else
/// of ten.
std::vector<double> axis_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most) {
  if (!axis.is_logarithmic) return linear_ticks(range, most);
  const auto is_power_of_two = [](double value) {
    int exponent = 0;
    return std::frexp(value, &exponent) == 0.5;
  };
  std::vector<double> ticks;
  if (std::ranges::all_of(values, is_power_of_two)) ticks = list_powers(range, 2, most);
  if (ticks.size() >= 2) return ticks;
  ticks = list_powers(range, 10, most);
  if (ticks.size() > 2 && static_cast<int>(3 * ticks.size()) > most) return ticks;
  ticks.clear();
  for (double decade = std::pow(10, std::floor(std::log10(range.low))); decade <= range.high; decade *= 10) {
    for (const double tick : {decade, 2 * decade, 5 * decade}) {
      if (tick >= range.low && tick <= range.high) ticks.push_back(tick);
    }
  }
  if (ticks.size() > 2 * static_cast<std::size_t>(most)) return list_powers(range, 10, most);
  return ticks.size() > 2 ? ticks : linear_ticks(range, most);
}

bool takes_prefix(const std::string& unit) {
  constexpr std::array kUnits = {"s", "J", "W", "B", "B/s", "Hz", "FLOP", "FLOP/s"};
  return std::ranges::find(kUnits, unit) != kUnits.end();
}

/// Returns "20 ms", "1.5x" or "50 %", or the number alone if the unit is in the title of the axis.
std::string tick_label(double value, const std::string& unit) {
  constexpr std::array kPrefixes = {"p", "n", "µ", "m", "", "k", "M", "G", "T", "P"};
  constexpr int kNoPrefix = 4;
  // Without a unit, thousands have all digits, since sizes are powers of two.
  const double least = takes_prefix(unit) ? 0 : 1e5;
  int place = kNoPrefix;
  if (std::abs(value) > least && unit != "x" && unit != "%") {
    // Rounding may make a tick of 1000 slightly smaller.
    const auto thousands = static_cast<int>(std::floor(std::log10(std::abs(value)) / 3 + 1e-9));
    place = std::clamp(thousands + kNoPrefix, 0, unit == "s" ? kNoPrefix : 9);
  }
  // Enough digits to distinguish neighbours, few enough to hide rounding errors.
  const std::string number = fmt::format("{:.10g}", value / std::pow(1000.0, place - kNoPrefix));
  const std::string prefix = kPrefixes.at(static_cast<std::size_t>(place));
  if (unit == "x") return number + unit;
  return takes_prefix(unit) || unit == "%" ? number + " " + prefix + unit : number + prefix;
}

// Ticks of time.

using std::chrono::sys_days, std::chrono::year_month_day, std::chrono::months;

/// Distance between two ticks: whole months, or seconds.
struct TimeStep {
  int months;
  double seconds;
  const char* format;
};

constexpr double kDay = 86'400;
constexpr const char* kToTheMinute = "{:%m-%d %H:%M}";
constexpr const char* kToTheDay = "{:%Y-%m-%d}";
constexpr std::array<TimeStep, 19> kTimeSteps = {{
    {0, 60, kToTheMinute},          {0, 300, kToTheMinute},        {0, 900, kToTheMinute},
    {0, 3600, kToTheMinute},        {0, 3 * 3600.0, kToTheMinute}, {0, 6 * 3600.0, kToTheMinute},
    {0, 12 * 3600.0, kToTheMinute}, {0, kDay, kToTheDay},          {0, 2 * kDay, kToTheDay},
    {0, 7 * kDay, kToTheDay},       {0, 14 * kDay, kToTheDay},     {1, 30.4 * kDay, "{:%Y-%m}"},
    {2, 60.8 * kDay, "{:%Y-%m}"},   {3, 91.3 * kDay, "{:%Y-%m}"},  {6, 182.6 * kDay, "{:%Y-%m}"},
    {12, 365.2 * kDay, "{:%Y}"},    {24, 730.5 * kDay, "{:%Y}"},   {60, 1826 * kDay, "{:%Y}"},
    {120, 3652 * kDay, "{:%Y}"},
}};

std::string format_time(double seconds, const char* format) {
  return fmt::format(fmt::runtime(format), fmt::gmtime(static_cast<std::time_t>(seconds)));
}

double to_seconds(sys_days day) { return kDay * static_cast<double>(day.time_since_epoch().count()); }

/// Returns at most about `most` round times. Weeks begin on Mondays, months on day 1.
std::vector<Tick> time_ticks(Range range, int most) {
  const auto* const fits = std::ranges::find_if(
      kTimeSteps, [&](const TimeStep& step) { return (range.high - range.low) / step.seconds <= most; });
  const TimeStep& step = fits == kTimeSteps.end() ? kTimeSteps.back() : *fits;
  std::vector<Tick> ticks;
  const auto add = [&](double time) {
    if (time >= range.low) ticks.push_back({time, format_time(time, step.format)});
  };
  if (step.months == 0) {
    constexpr double kFirstMonday = 4 * kDay;
    const double shift = step.seconds > 6 * kDay ? kFirstMonday : 0;
    double time = std::floor((range.low - shift) / step.seconds) * step.seconds + shift;
    for (; time <= range.high; time += step.seconds) add(time);
    return ticks;
  }
  const year_month_day low{sys_days{std::chrono::days(static_cast<int>(range.low / kDay))}};
  const auto month = low.year() / low.month();
  const months excess = (month - std::chrono::year(0) / 1) % step.months;
  for (year_month_day day = (month - excess) / 1; to_seconds(day) <= range.high; day += months(step.months))
    add(to_seconds(day));
  return ticks;
}

std::vector<Tick> make_ticks(const Axis& axis, const std::vector<double>& values, Range range, int most) {
  if (axis.is_time) return time_ticks(range, most);
  return mapped(axis_ticks(axis, values, range, most), [&](double value) {
    return Tick{value, tick_label(value, axis.unit)};
  });
}

std::vector<double> list_values(const Chart& chart) {
  std::vector<double> values;
  for (const Series& series : chart.series) {
    for (const Point& point : series.points) {
      values.push_back(point.y);
      if (point.low) values.insert(values.end(), {*point.low, *point.high});
    }
  }
  if (chart.baseline) values.push_back(*chart.baseline);
  return values;
}

/// Returns true if the labels of ticks have the unit.
bool is_on_ticks(const std::string& unit) { return takes_prefix(unit) || unit == "x" || unit == "%"; }

std::string bar_value(const Point& point, const std::string& unit) {
  std::string text = figure_text(point.y);
  if (is_on_ticks(unit)) text += (unit == "x" ? "" : " ") + unit;
  if (point.low) text += fmt::format(" ({} to {})", figure_text(*point.low), figure_text(*point.high));
  return text;
}

}  // namespace

Chart make_showable(Chart chart) {
  const bool has_bars = chart.kind == ChartKind::kBars;
  const auto has_category = [&](const Point& point) {
    return point.x >= 0 && point.x < static_cast<double>(chart.x.categories.size());
  };
  for (Series& series : chart.series) {
    std::erase_if(series.points, [&](const Point& point) {
      const bool has_place = has_bars ? has_category(point) : can_show(point.x, chart.x);
      return !has_place || !can_show(point.y, chart.y);
    });
    for (Point& point : series.points) {
      const bool has_interval =
          point.low && point.high && can_show(*point.low, chart.y) && can_show(*point.high, chart.y);
      if (!has_interval) point.low = point.high = std::nullopt;
    }
    std::ranges::stable_sort(series.points, {}, &Point::x);
  }
  if (chart.baseline && !can_show(*chart.baseline, chart.y)) chart.baseline = std::nullopt;
  return chart;
}

std::string axis_title(const Axis& axis) {
  return axis.unit.empty() || is_on_ticks(axis.unit) ? axis.label
                                                     : fmt::format("{} [{}]", axis.label, axis.unit);
}

Scale::Scale(const Axis& its_axis, const std::vector<double>& values, int most_ticks, double its_from,
             double its_to)
    : axis(its_axis),
      range(compute_range(values, axis)),
      ticks(make_ticks(axis, values, range, most_ticks)),
      from(its_from),
      to(its_to) {}

double Scale::at(double value) const {
  const double share = axis.is_logarithmic ? std::log(value / range.low) / std::log(range.high / range.low)
                                           : (value - range.low) / (range.high - range.low);
  return from + share * (to - from);
}

std::string time_text(double seconds) { return format_time(seconds, "{:%Y-%m-%d %H:%M} UTC"); }

Scale make_y_scale(const Chart& chart, int most_ticks, double bottom, double top) {
  std::vector<double> values = list_values(chart);
  // Values that differ much are compared by their distance from 0.
  const bool is_positive = !chart.y.is_logarithmic && !values.empty() && std::ranges::min(values) > 0;
  if (is_positive && std::ranges::min(values) <= 0.6 * std::ranges::max(values)) values.push_back(0);
  return {chart.y, values, most_ticks, bottom, top};
}

std::vector<Bar> list_bars(const Chart& chart) {
  const bool is_grouped = chart.series.size() > 1;
  std::vector<Bar> bars;
  for (std::size_t place = 0; place < chart.x.categories.size(); ++place) {
    const std::string& category = chart.x.categories[place];
    bool is_first = is_grouped;
    for (std::size_t i = 0; i < chart.series.size(); ++i) {
      const Series& series = chart.series[i];
      const auto point = std::ranges::find(series.points, static_cast<double>(place), &Point::x);
      if (point == series.points.end()) continue;
      bars.push_back({i, std::exchange(is_first, false) ? category : "", is_grouped ? series.name : category,
                      bar_value(*point, chart.y.unit), !point->low && point->y != chart.baseline, *point});
    }
  }
  return bars;
}

Scale make_bar_scale(const Chart& chart, int most_ticks, double from, double to) {
  std::vector<double> values = list_values(chart);
  if (!chart.baseline && !chart.y.is_logarithmic) values.push_back(0);
  return {chart.y, values, most_ticks, from, to};
}

double find_bar_start(const Chart& chart, const Scale& scale) {
  return chart.baseline ? *chart.baseline : chart.y.is_logarithmic ? scale.range.low : 0;
}

}  // namespace gpubench
