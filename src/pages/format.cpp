#include "pages/format.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/record/parameter.h"

namespace gpubench {
namespace {

std::string number_text(double number, const std::string& unit) {
  if (unit == "s" || unit.ends_with("/s")) return figure_text(number);
  if (unit == "fraction") return fmt::format("{:.2f}", number);
  return std::abs(number) < 1000 ? fmt::format("{:.4g}", number) : with_separators(std::llround(number));
}

}  // namespace

std::string one_line(const std::string& message) { return plain_text(message.substr(0, message.find('\n'))); }

std::string interval_text(const Measured<Estimate>& estimate) {
  const Measured<Interval> interval = estimate.then(&Estimate::interval);
  if (!interval.has_value()) return "";
  return fmt::format("{} to {}", figure_text(interval.value().low), figure_text(interval.value().high));
}

std::string prepend_if_any(const std::string& before, const std::string& text) {
  return text.empty() ? "" : before + text;
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string counted(std::vector<std::string> parts) {
  constexpr std::size_t kMostParts = 12;
  if (parts.size() <= kMostParts) return join(parts, "; ");
  const std::size_t rest = parts.size() - kMostParts;
  parts.resize(kMostParts);
  return fmt::format("{}; and {} more", join(parts, "; "), rest);
}

std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication) {
  if (!publication) return {};
  const PublishedRecord& published = *publication;
  const std::string address = published.address.has_value() ? " (" + published.address.value() + ")" : "";
  return {caution("Published figures, not measured by gpubench: {}{}", published.title, address),
          caution("Protocol: {}", published.protocol), caution("Note: {}", published.note)};
}

std::string describe_place(const std::vector<std::string>& devices, const RunRecord& run) {
  const auto with_model = [&](const std::string& device) {
    const auto known = std::ranges::find(run.environment.devices, device, &DeviceRecord::name);
    const std::string model = known == run.environment.devices.end() ? "" : known->model;
    return model.empty() || model == device ? device : device + " (" + model + ")";
  };
  const std::string suite = run.has_operations() ? "" : run.plan.suite;
  return one_line(fmt::format(
      "Device {}{}{}{}.", join(mapped(devices, with_model)), prepend_if_any(", host ", run.environment.host),
      prepend_if_any(", suite ", suite), prepend_if_any(", started ", run.tool.started_at)));
}

Tone find_tone(RowStatus status) {
  if (status == RowStatus::kOk) return Tone::kGood;
  const bool is_not_run =
      status == RowStatus::kSkipped || status == RowStatus::kInterrupted || status == RowStatus::kUnsupported;
  return is_not_run ? Tone::kWarning : Tone::kBad;
}

Cell no_figure(const std::string& why) { return {"-", {}, why, Tone::kMuted}; }

Cell number_cell(double number) { return {figure_text(number), number}; }

Cell number_cell(const Measured<double>& number) {
  return number.has_value() ? number_cell(number.value()) : no_figure(number.reason());
}

Cell duration_cell(const Measured<double>& seconds) {
  if (!seconds.has_value()) return no_figure(seconds.reason());
  return {prefixed_text(seconds.value(), "s"), seconds.value()};
}

Cell percent_cell(const Measured<double>& part) {
  return part.has_value() ? Cell{percent_text(part.value()), part.value()} : no_figure(part.reason());
}

Cell metric_cell(double value, const Metric& metric) {
  if (metric.unit == "fraction") return {percent_text(value), value};
  if (metric.unit == "B") return {byte_text(Bytes{std::llround(value)}), value};
  const bool is_plain = metric.unit.empty() || metric.unit.ends_with("/s");
  return {
      is_plain ? figure_text(value) + prepend_if_any(" ", metric.unit) : prefixed_text(value, metric.unit),
      value};
}

Cell value_cell(const Measured<double>& value) {
  return value.has_value() ? Cell{"", value.value()} : Cell{""};
}

Point make_point(double x, const Estimate& estimate) {
  if (!estimate.interval.has_value()) return {x, estimate.value};
  const auto [low, high] = estimate.interval.value();
  return {x, estimate.value, low, high};
}

Estimate scaled(const Estimate& estimate, double factor) {
  return {factor * estimate.value, estimate.interval.then([=](const Interval& interval) {
            return Interval{factor * interval.low, factor * interval.high};
          })};
}

void add_point(std::vector<Series>& all, const std::string& name, Point point) {
  auto found = std::ranges::find(all, name, &Series::name);
  if (found == all.end()) found = all.insert(found, Series{name, {}});
  found->points.push_back(std::move(point));
}

void add_bar(Chart& chart, const std::string& series, const std::string& category, const Estimate& estimate) {
  std::vector<std::string>& known = chart.x.categories;
  const auto place = std::ranges::find(known, category) - known.begin();
  if (static_cast<std::size_t>(place) == known.size()) known.push_back(category);
  add_point(chart.series, series, make_point(static_cast<double>(place), estimate));
}

Cell field_cell(const FieldValue& value, const FieldFacts& field, double factor) {
  if (const auto* text = std::get_if<std::string>(&value)) return {one_line(*text)};
  if (const auto* count = std::get_if<std::int64_t>(&value))
    return {std::to_string(*count), static_cast<double>(*count)};
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr || !std::isfinite(*number)) return no_figure("");
  return {number_text(factor * *number, field.unit), factor * *number};
}

Cell data_cell(const FieldValue& value) {
  const auto* number = std::get_if<double>(&value);
  if (number == nullptr) return {to_text(value)};  // A double cannot hold every 64-bit integer.
  return std::isfinite(*number) ? Cell{"", *number} : Cell{""};
}

std::string why_absent(const FieldValue& value) {
  if (const Missing* why = std::get_if<Missing>(&value)) return why->reason;
  const double* number = std::get_if<double>(&value);
  return number != nullptr && !std::isfinite(*number) ? "not a finite number" : "";
}

std::pair<Column, double> make_column(const FieldFacts& field, const std::vector<FieldValue>& values) {
  bool has_text = false;
  double smallest = std::numeric_limits<double>::infinity();
  for (const FieldValue& value : values) {
    has_text = has_text || std::holds_alternative<std::string>(value);
    const double* number = std::get_if<double>(&value);
    if (number != nullptr && *number != 0) smallest = std::min(smallest, std::abs(*number));
  }
  // In its unit, the smallest time has three significant digits and at most three decimals.
  constexpr double kLeast = 0.1;
  const std::string& unit = field.unit;
  if (unit == "fraction") return {{field.label, "%", !has_text}, 100};
  if (unit == "s" && smallest < kLeast * 1e-3) return {{field.label, "µs", !has_text}, 1e6};
  if (unit == "s" && smallest < kLeast) return {{field.label, "ms", !has_text}, 1e3};
  // Other units are part of the cell or of the label.
  return {{field.label, unit == "s" || unit == "J" || unit == "W" ? unit : "", !has_text}, 1};
}

bool is_shown(const FieldFacts& field, const FieldValue& usual, const std::vector<FieldValue>& values) {
  if (field.shown == Shown::kInFile || field.shown == Shown::kInTable) return field.shown == Shown::kInTable;
  return std::ranges::any_of(values, [&](const FieldValue& value) {
    return !std::holds_alternative<Missing>(value) && value != usual;
  });
}

std::vector<std::string> take_constants(Table& table, std::string_view kept) {
  std::vector<std::string> constants;
  for (std::size_t i = table.columns.size(); i-- > 1;) {
    const std::string& heading = table.columns[i].heading;
    const std::string text = table.rows.front()[i].text;
    const auto is_equal = [&](const auto& row) { return row[i].text == text; };
    if (table.columns[i].is_number || heading == kept || !std::ranges::all_of(table.rows, is_equal)) continue;
    if (!text.empty()) constants.insert(constants.begin(), heading + " " + text);
    const auto offset = static_cast<std::ptrdiff_t>(i);
    table.columns.erase(table.columns.begin() + offset);
    for (auto& row : table.rows) row.erase(row.begin() + offset);
  }
  return constants;
}

void insert_column(Table& table, const std::string& heading, const std::vector<std::string>& texts) {
  table.columns.insert(table.columns.begin(), {heading});
  for (std::size_t i = 0; i < texts.size(); ++i) table.rows[i].insert(table.rows[i].begin(), {texts[i]});
}

Table folded(Table table) {
  if (table.rows.size() < 2) return table;
  const std::vector<std::string> constants = take_constants(table);
  if (!constants.empty()) table.notes.insert(table.notes.begin(), "all rows: " + join(constants));
  return table;
}

}  // namespace gpubench
