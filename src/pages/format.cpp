#include "pages/format.h"

#include "compare/verdict.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
namespace {

/// More parts than this are counted: the table has them all.
constexpr std::size_t kMostParts = 12;

struct Words {
  const std::string& unit;

  std::string operator()(bool is_true) const { return is_true ? "yes" : "no"; }
  std::string operator()(std::int64_t count) const {
    return unit == "B" ? byte_text(Bytes{count}) : with_separators(count);
  }
  std::string operator()(double number) const {
    return unit.empty() ? fmt::format("{:g}", number) : prefixed_text(number, unit);
  }
  std::string operator()(const std::string& text) const { return one_line(text); }
  std::string operator()(const std::vector<std::string>& words) const { return join(words, " "); }
  std::string operator()(const NamedValues& values) const {
    return join(mapped(
        values, [&](const auto& entry) { return one_line(entry.first) + " " + (*this)(entry.second); }));
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

std::string format_words(const std::vector<DifferenceCount>& counts, Comparability comparability,
                         const BaselineComparison& versus) {
  std::vector<std::string> parts;
  for (const DifferenceCount& count : counts) {
    if (count.difference.on(Metric::kTime) == comparability) parts.push_back(format_words(count, versus));
  }
  return join(parts, "; ");
}

Tone find_tone(Outcome outcome) {
  if (outcome == Outcome::kBetter) return Tone::kGood;
  return outcome == Outcome::kWorse ? Tone::kBad : Tone::kPlain;
}

std::string outcome_words(Outcome outcome, double margin) {
  switch (outcome) {
    case Outcome::kBetter:
      return "faster";
    case Outcome::kWorse:
      return "slower";
    case Outcome::kEqual:
      return "equal within " + margin_text(margin);
    case Outcome::kUndecided:
      return "undecided";
    case Outcome::kUnknown:
      break;
  }
  return "unknown";
}

}  // namespace

std::string margin_text(double margin) { return percent_text(margin); }

std::string one_line(const std::string& message) { return plain_text(message.substr(0, message.find('\n'))); }

std::string interval_text(const Measured<Estimate>& estimate) {
  const Measured<Interval> interval = estimate.then(&Estimate::interval);
  if (!interval.has_value()) return "";
  return fmt::format("{} to {}", figure_text(interval.value().low), figure_text(interval.value().high));
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counted(std::vector<std::string> parts) {
  if (parts.size() <= kMostParts) return join(parts, "; ");
  const std::size_t rest = parts.size() - kMostParts;
  parts.resize(kMostParts);
  return fmt::format("{}; and {} more", join(parts, "; "), rest);
}

std::string format_words(const DifferenceCount& count, const BaselineComparison& versus) {
  const std::string text = format_sentence(count.difference, versus);
  return count.rows == 0 ? text : fmt::format("{} ({})", text, counted(count.rows, "case"));
}

std::vector<Paragraph> describe_comparability(const BaselineComparison& versus) {
  const auto counts = difference_counts(versus);
  const std::string refused = format_words(counts, Comparability::kRefused, versus);
  const std::string caveats = format_words(counts, Comparability::kCaveat, versus);
  const std::string pair = pair_name(versus);
  if (refused.empty() && caveats.empty()) {
    if (row_ratios(versus).empty()) return {};
    return {{pair + ": no known reason against comparing the times."}};
  }
  std::string text = pair + ":";
  if (!refused.empty())
    text += fmt::format(" {}: {}.", versus.is_forced ? "unlike, shown by --force" : "refused", refused);
  if (!caveats.empty()) text += " Caution: " + caveats + ".";
  return {{text, Tone::kWarning}};
}

std::string remedy_for(const BaselineComparison& versus) {
  if (are_in_alternation(*versus.base, *versus.other)) return " More rounds decide it.";
  const bool is_measured = versus.base->publication.empty() && versus.other->publication.empty();
  if (!is_measured) return "";
  return versus.base->host == versus.other->host ? " Use --repeat 5 on both sides, or 'gpubench ab'."
                                                 : " Use --repeat 5 on both sides.";
}

std::string make_hint(const BaselineComparison& versus) {
  const bool is_one_host = versus.base->host == versus.other->host;
  return is_one_host && find_measuring(*versus.base, *versus.other) == Measuring::kApart
             ? " 'gpubench ab' detects smaller differences."
             : "";
}

std::string field_words(const FieldValue& value, const std::string& unit) {
  return std::visit(Words{unit}, value);
}

std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication) {
  if (!publication) return {};
  const PublishedRecord& published = *publication;
  const std::string address = published.address.has_value() ? " (" + published.address.value() + ")" : "";
  return {caution("Not measured by gpubench, but published: {}{}", published.title, address),
          caution("Protocol: {}", published.protocol), caution("To mind: {}", published.note)};
}

Cell no_figure(const std::string& why) { return {"-", {}, why, Tone::kMuted}; }

Cell count_cell(std::size_t count) { return {std::to_string(count), static_cast<double>(count)}; }

Cell number_cell(double number) { return {figure_text(number), number}; }

Cell number_cell(const Measured<double>& number) {
  if (number.has_value()) return number_cell(number.value());
  return no_figure(number.reason());
}

Cell duration_cell(double seconds) { return {prefixed_text(seconds, "s"), seconds}; }

Cell value_cell(const Measured<double>& value) {
  return value.has_value() ? Cell{"", value.value()} : Cell{""};
}

std::array<Cell, 3> estimate_cells(const Measured<Estimate>& estimate) {
  const Measured<Interval> interval = estimate.then(&Estimate::interval);
  return {value_cell(estimate.then(&Estimate::value)), value_cell(interval.then(&Interval::low)),
          value_cell(interval.then(&Interval::high))};
}

Cell ratio_cell(const Measured<Estimate>& ratio) {
  if (!ratio.has_value()) return no_figure(ratio.reason());
  Cell cell = number_cell(ratio.value().value);
  cell.tone = find_tone(decide_outcome(ratio.value()));
  if (!ratio.value().interval.has_value()) cell.note = "no interval: " + ratio.value().interval.reason();
  return cell;
}

Cell outcome_cell(const Measured<Estimate>& ratio, double margin) {
  if (!ratio.has_value()) return no_figure("");
  const Outcome outcome = decide_outcome(ratio.value(), margin);
  return {outcome_words(outcome, margin), {}, "", find_tone(outcome)};
}

Point make_point(double x, const Estimate& estimate) {
  if (!estimate.interval.has_value()) return {x, estimate.value};
  const auto [low, high] = estimate.interval.value();
  return {x, estimate.value, low, high};
}

Estimate compute_rate(double amount, const Estimate& seconds) {
  return {amount / seconds.value, seconds.interval.then([=](const Interval& interval) {
            return interval.low > 0
                       ? Measured(Interval{amount / interval.high, amount / interval.low})
                       : Measured<Interval>(missing("the interval of the time reaches down to 0"));
          })};
}

Series& series_called(const std::string& name, std::vector<Series>& all) {
  const auto found = std::ranges::find(all, name, &Series::name);
  return found != all.end() ? *found : all.emplace_back(Series{name, {}});
}

void add_bar(Chart& chart, const std::string& series, const std::string& category, const Estimate& estimate) {
  std::vector<std::string>& known = chart.x.categories;
  const auto place = std::ranges::find(known, category) - known.begin();
  if (static_cast<std::size_t>(place) == known.size()) known.push_back(category);
  series_called(series, chart.series).points.push_back(make_point(static_cast<double>(place), estimate));
}

void sort_points(std::vector<Series>& all) {
  for (Series& series : all) std::ranges::sort(series.points, {}, &Point::x);
}

}  // namespace gpubench
