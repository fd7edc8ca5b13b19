#include "compare/words.h"
#include "report/figure_text.h"

#include <fmt/format.h>

namespace gpubench {

std::string interval_text(const Reading<Interval>& interval) {
  if (!interval.has_value()) return "";
  return fmt::format("{} to {}", figure_text(interval.value().low), figure_text(interval.value().high));
}

std::string named(const Contender& contender) {
  return fmt::format("{} ({})", contender.label, description_of(contender));
}

std::string pair_name(const Comparison& comparison, const Duel& duel) {
  return fmt::format("{} against {}", comparison.other_of(duel).label, comparison.base_of(duel).label);
}

std::string case_name(const CaseFigures& figures) {
  std::string name = figures.model;
  if (!figures.sizes.empty()) name += " " + figures.sizes;
  name += fmt::format(" {}", figures.batch_size);
  const std::string mode = mode_text(figures.mode);
  return mode.empty() ? name : name + ", " + mode;
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string sentence_of(const Difference& difference) {
  return fmt::format("{} {} against {}", difference.what, difference.left, difference.right);
}

bool is_distinct_from_one(const Estimate& ratio) {
  if (!ratio.interval.has_value()) return ratio.value != 1;
  return ratio.interval.value().low > 1 || ratio.interval.value().high < 1;
}

Cell number_cell(double number) { return {figure_text(number), number}; }

Cell number_cell(const Reading<double>& number) {
  if (number.has_value()) return number_cell(number.value());
  return {"-", {}, number.reason(), Tone::kMuted};
}

Cell ratio_cell(const Reading<Estimate>& ratio) {
  if (!ratio.has_value()) return {"-", {}, ratio.reason(), Tone::kMuted};
  Cell cell = number_cell(ratio.value().value);
  if (is_distinct_from_one(ratio.value())) cell.tone = ratio.value().value > 1 ? Tone::kGood : Tone::kBad;
  if (!ratio.value().interval.has_value()) cell.note = "no interval: " + ratio.value().interval.reason();
  return cell;
}

}  // namespace gpubench
