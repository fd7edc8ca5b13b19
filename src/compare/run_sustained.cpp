#include "compare/run_sustained.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "compare/case_names.h"
#include "compare/record_table.h"
#include "compare/words.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/energy.h"
#include "report/figure_text.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// Positions in the lists by epoch.
struct Stretch {
  std::size_t first = 0;
  std::size_t end = 0;
};

/// The timed epochs that begin in the first minute, as sustained_speed() has them.
Stretch first_minute(const CaseRecord& c) {
  constexpr double kMinute = 60;
  const auto first = static_cast<std::size_t>(c.warmup_epochs);
  Stretch stretch{first, first};
  double start = 0;
  for (const double seconds : steady_epochs(c)) {
    if (start >= kMinute) break;
    ++stretch.end;
    start += seconds;
  }
  return stretch;
}

Stretch last_half(const CaseRecord& c) {
  const std::size_t timed = steady_epochs(c).size();
  const auto first = static_cast<std::size_t>(c.warmup_epochs);
  return {first + timed / 2, first + timed};
}

struct NamedStretch {
  const char* name;
  Stretch (*of)(const CaseRecord& c);
};

constexpr std::array kStretches = {NamedStretch{"first minute", first_minute},
                                   NamedStretch{"last half", last_half}};

/// The first source of the case's device that has the list.
template <class T>
const std::vector<T>* list_of(const CaseRecord& c, std::vector<T> EnergyRecord::*list) {
  for (const EnergyRecord& source : c.energy) {
    const bool is_of_device = source.device.empty() || source.device == c.device;
    if (is_of_device && !(source.*list).empty()) return &(source.*list);
  }
  return nullptr;
}

Reading<double> mean_of(const std::vector<double>* values, Stretch stretch) {
  if (values == nullptr) return absent("not measured");
  double sum = 0;
  double count = 0;
  for (std::size_t i = stretch.first; i < std::min(stretch.end, values->size()); ++i) {
    if (!std::isfinite((*values)[i])) continue;
    sum += (*values)[i];
    ++count;
  }
  return count > 0 ? Reading<double>(sum / count) : absent("not measured");
}

/// "power cap in 12 of 40 epochs"; "-" where nothing is known, "nothing" where nothing was in the way.
std::string throttle_text(const std::vector<std::string>* reasons, Stretch stretch) {
  if (reasons == nullptr) return "-";
  std::map<std::string, std::size_t> counts;
  const std::size_t end = std::min(stretch.end, reasons->size());
  for (std::size_t i = stretch.first; i < end; ++i) {
    if (!(*reasons)[i].empty()) ++counts[one_line((*reasons)[i])];
  }
  std::vector<std::string> parts;
  for (const auto& [reason, count] : counts) {
    parts.push_back(fmt::format("{} in {} of {} epochs", reason, count, end - stretch.first));
  }
  return parts.empty() ? "nothing" : join(parts, "; ");
}

using Cases = std::vector<const CaseRecord*>;

Cases long_cases(const RunRecord& run) {
  Cases cases;
  for (const CaseRecord& c : run.cases) {
    if (c.status == CaseStatus::kOk && sustained_speed(c).has_value()) cases.push_back(&c);
  }
  return cases;
}

void add_speeds(const Cases& cases, Table& table) {
  const std::vector<Column> columns = {{"first minute", "samples/s", true},
                                       {"sustained", "samples/s", true},
                                       {"kept", "%", true},
                                       {"slower from", "s", true}};
  table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const SustainedSpeed speed = sustained_speed(*cases[i]).value();
    std::vector<Cell>& row = table.rows[i];
    row.push_back(number_cell(speed.burst_samples_per_second));
    row.push_back(number_cell(speed.sustained_samples_per_second));
    row.push_back(number_cell(100 * speed.kept));
    if (speed.onset_seconds.has_value()) row.back().tone = Tone::kWarning;
    row.push_back(number_cell(speed.onset_seconds));
  }
}

/// Two columns, at first and later, where any case has the list.
void add_state(const Cases& cases, const std::string& what, const std::string& unit, double scale,
               std::vector<double> EnergyRecord::*list, Table& table) {
  const bool is_known = std::any_of(cases.begin(), cases.end(),
                                    [&](const CaseRecord* c) { return list_of(*c, list) != nullptr; });
  if (!is_known) return;
  for (const auto& [when, stretch_of] : kStretches) {
    table.columns.push_back({fmt::format("{}, {}", what, when), unit, true});
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Reading<double> mean = mean_of(list_of(*cases[i], list), stretch_of(*cases[i]));
      table.rows[i].push_back(number_cell(mean.has_value() ? Reading<double>(mean.value() / scale) : mean));
    }
  }
}

void add_throttling(const Cases& cases, Table& table) {
  const auto list = &EnergyRecord::epoch_throttle;
  const bool is_known = std::any_of(cases.begin(), cases.end(),
                                    [&](const CaseRecord* c) { return list_of(*c, list) != nullptr; });
  if (!is_known) return;
  for (const auto& [when, stretch_of] : kStretches) {
    table.columns.push_back({fmt::format("held down by, {}", when)});
    for (std::size_t i = 0; i < cases.size(); ++i) {
      table.rows[i].push_back({throttle_text(list_of(*cases[i], list), stretch_of(*cases[i]))});
    }
  }
}

}  // namespace

Table sustained_table(const RunRecord& run) {
  const Cases cases = long_cases(run);
  Table table{"", {{"case"}}, {}, {}};
  if (cases.empty()) return table;
  const CaseNames names(run.cases);
  for (const CaseRecord* c : cases) table.rows.push_back({{names.whole(*c)}});
  add_speeds(cases, table);
  add_state(cases, "temperature", "°C", 1, &EnergyRecord::epoch_celsius, table);
  add_state(cases, "clock", "MHz", 1e6, &EnergyRecord::epoch_hertz, table);
  add_throttling(cases, table);
  table.notes = {
      "First minute: median speed of the timed epochs that begin in it; sustained: that of the last half of "
      "them. Slower from: when the median of all that follows falls below 95 % of the first minute's."};
  return table;
}

}  // namespace gpubench
