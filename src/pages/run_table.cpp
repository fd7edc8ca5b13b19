#include "pages/run_page.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/record/derived.h"
#include "pages/run_sections.h"

namespace gpubench {
namespace {

/// What is less than this part of the whole is not named.
constexpr double kSmallest = 0.02;

using Notes = std::vector<std::string>;

/// 0 where there are none.
double sum_of(const Reading<NamedValues>& values) {
  double sum = 0;
  if (!values.has_value()) return sum;
  for (const auto& [name, value] : values.value()) sum += value;
  return sum;
}

/// "input 8 %, forward 31 %"
std::string parts_text(const NamedValues& parts, double whole) {
  return join(mapped(parts, [whole](const auto& part) {
    return fmt::format("{} {:.0f} %", part.first, 100 * part.second / whole);
  }));
}

/// The largest first, the small ones as one.
NamedValues summed_up(NamedValues layers, double whole) {
  std::ranges::stable_sort(layers, std::greater(), [](const auto& layer) { return layer.second; });
  const auto small =
      std::ranges::find_if(layers, [&](const auto& layer) { return layer.second < kSmallest * whole; });
  const double rest = sum_of(NamedValues(small, layers.end()));
  layers.erase(small, layers.end());
  if (rest > 0) layers.emplace_back("rest", rest);
  return layers;
}

/// "a step of 2.41 ms: input 8 %, forward 31 %, ...; operations: matrix product 62 %, ..., rest 3 %": the
/// phases of the whole step, and the kinds of layers of the time in operations, largest first. Empty where
/// the case was not profiled.
std::string profile_text(const CaseRecord& record) {
  const double step = sum_of(record.profile_phases);
  if (step <= 0) return {};
  const std::string text = fmt::format("a step of {}: {}", prefixed_text(step, "s"),
                                       parts_text(record.profile_phases.value(), step));
  const double whole = sum_of(record.profile_layers);
  if (whole <= 0) return text;
  return text + "; operations: " + parts_text(summed_up(record.profile_layers.value(), whole), whole);
}

bool differs_in_precision(const CaseRecord& c, const CaseRecord& from) {
  return c.mode.precision != from.mode.precision && c.repeat == from.repeat &&
         identity_of(c).without({"precision"}) == identity_of(from).without({"precision"});
}

/// "bf16 1.92" for each of the cases that differ from `base` in precision alone.
Notes gains(const CaseRecord& base, double base_seconds, const std::vector<CaseRecord>& cases) {
  Notes words;
  for (const CaseRecord& c : cases) {
    const auto epochs = epoch_summary(c);
    if (!epochs.has_value() || epochs.value().median <= 0 || !differs_in_precision(c, base)) continue;
    words.push_back(
        fmt::format("{} {:.2f}", to_string(c.mode.precision), base_seconds / epochs.value().median));
  }
  return words;
}

/// "precision gain of cnn on cpu, batch 128: bf16 1.92, amp-bf16 1.40 (time in fp32 over its time)": a line
/// for each case that was measured in fp32 and otherwise, from the median epochs.
void note_precisions(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    const auto epochs = epoch_summary(c);
    if (c.mode.precision != Precision::kFp32 || !epochs.has_value()) continue;
    const auto words = gains(c, epochs.value().median, cases);
    if (words.empty()) continue;
    const std::string sizes = c.sizes.empty() ? "" : " (" + c.sizes + ")";
    notes.push_back(fmt::format("precision gain of {}{} on {}, batch {}: {} (time in fp32 over its time)",
                                c.model, sizes, c.device, c.batch_size, join(words)));
  }
}

void note_failures(Notes& notes, const std::vector<CaseRecord>& cases) {
  const bool is_repeated = has_repeats(cases);
  for (const CaseRecord& c : cases) {
    if (c.status == RowStatus::kOk) continue;
    notes.push_back(
        fmt::format("{}: {}: {}", case_name(c, is_repeated), to_string(c.status), reason_text(c)));
  }
}

void note_data(Notes& notes, const std::vector<DatasetRecord>& datasets) {
  for (const DatasetRecord& dataset : datasets) {
    std::vector<std::string> parts{dataset.name};
    if (dataset.is_synthetic) parts.push_back("synthetic data, so accuracy means nothing");
    if (!dataset.note.empty()) parts.push_back(one_line(dataset.note));
    if (parts.size() > 1) notes.push_back(join(parts, ": "));
  }
}

std::string dropped_text(std::int64_t warmup_epochs) {
  if (warmup_epochs == 0) return "none is dropped";
  if (warmup_epochs == 1) return "the first is dropped";
  return fmt::format("the first {} are dropped", warmup_epochs);
}

// With a target every case has epochs and a warm-up of its own: the rule is said once, the file has the rest.
std::string epochs_text(const CaseRecord& c) {
  if (c.target_cv.has_value()) {
    return fmt::format(
        "{} to {} epochs, until ± is at most {:.3g} %; the first are dropped while times change",
        c.min_epochs, c.epochs, 100 * c.target_cv.value());
  }
  if (c.min_timed.value > 0) {
    return fmt::format("{} or more epochs, until they last {:.3g} s; {}", c.epochs, c.min_timed.value,
                       dropped_text(c.warmup_epochs));
  }
  const std::int64_t first = c.warmup_epochs + 1;
  const auto last = static_cast<std::int64_t>(c.epoch_seconds.size());
  const std::string counted =
      first == last ? fmt::format("epoch {}", first) : fmt::format("epochs {} to {}", first, last);
  return fmt::format("{} of {}; {}", counted, c.epochs, dropped_text(c.warmup_epochs));
}

// Why a mode became what it is is mostly the same for all batch sizes.
void note_mode(Notes& notes, const std::string& what, const CaseRecord& c, const Reading<std::string>& used,
               const std::string& why) {
  if (why.empty()) return;
  const std::string value = used.has_value() ? one_line(used.value()) + ": " : "";
  add_once(notes, fmt::format("{} of {} on {}: {}{}", what, c.model, c.device, value, one_line(why)));
}

void note_modes(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) note_mode(notes, "layout", c, c.layout_used, c.layout_note);
  for (const CaseRecord& c : cases) {
    // That a CPU has no launches to save is no news.
    if (c.device != "cpu") note_mode(notes, "execution", c, c.execution_used, c.execution_note);
  }
}

void note_profiles(Notes& notes, const std::vector<CaseRecord>& cases) {
  const bool is_repeated = has_repeats(cases);
  for (const CaseRecord& c : cases) {
    const std::string profile = profile_text(c);
    if (!profile.empty()) notes.push_back(case_name(c, is_repeated) + ": " + profile);
  }
}

void note_protocols(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (steady_epochs(c).empty()) continue;
    add_once(notes, fmt::format("protocol {}: median, ± (half its 95 % interval) and std dev: {}",
                                to_string(c.protocol), epochs_text(c)));
  }
}

template <class Record>
std::string table_text(const FieldTable<Record>& fields, const std::vector<Record>& records) {
  TextTable table;
  std::vector<std::vector<std::string>> rows(records.size());
  for (const Field<Record>& field : fields) {
    if (!is_shown(field, records)) continue;
    const std::vector<FieldValue> values = mapped(records, field.get);
    const std::string unit = is_in_heading(field.unit) ? " [" + field.unit + "]" : "";
    table.add_column(field.label + unit, has_text(values) ? Align::kLeft : Align::kRight);
    const int decimals = decimals_for(values);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].push_back(cell_text(values[i], field.unit, decimals));
  }
  for (auto& row : rows) table.add_row(std::move(row));
  return table.to_string();
}

}  // namespace

std::string reason_text(const CaseRecord& c) {
  const std::string reason = one_line(c.status_reason);
  if (!c.requested.has_value()) return reason;
  const std::string free = c.available.has_value() ? ", " + byte_text(c.available.value()) + " free" : "";
  return fmt::format("{} ({} asked for{})", reason, byte_text(c.requested.value()), free);
}

Notes warning_notes(const std::vector<CaseRecord>& cases) {
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const Warning& warning : cases[i].warnings) add_warning(warning, i, groups);
  }
  return mapped(groups, [](const WarningGroup& group) {
    const std::string rows =
        group.rows.size() == 1 ? "1 row" : fmt::format("the worst of {} rows", group.rows.size());
    return fmt::format("warning: {} ({})", one_line(group.worst.text), rows);
  });
}

void note_peaks(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (c.peak_source != Reading<std::string>(to_string(PeakSource::kRow))) continue;
    add_once(notes, fmt::format("MFU on {} in {}: the peak is the rate of the fastest row, which is above "
                                "what was measured; 'gpubench peak' measures in full",
                                c.device, to_string(c.mode.precision)));
  }
}

Notes method_notes(const std::vector<CaseRecord>& cases) {
  Notes notes;
  note_modes(notes, cases);
  note_precisions(notes, cases);
  note_profiles(notes, cases);
  note_peaks(notes, cases);
  note_protocols(notes, cases);
  return notes;
}

std::string run_table(const RunRecord& record) {
  std::string text = table_text(case_fields(), record.cases);
  const std::vector<RepeatGroup> groups = repeat_groups(record);
  if (!groups.empty()) text += "\n" + table_text(repeat_fields(), groups);
  Notes notes;
  note_failures(notes, record.cases);
  append(notes, warning_notes(record.cases));
  note_data(notes, record.environment.datasets);
  append(notes, method_notes(record.cases));
  return notes.empty() ? text : text + "\n" + join(notes, "\n") + "\n";
}

}  // namespace gpubench
