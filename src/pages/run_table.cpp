#include "pages/run_table.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/text/text_table.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/row_identity.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// What is less than this part of the whole is not named.
constexpr double kSmallest = 0.02;

double sum_of(const NamedValues& values) {
  double sum = 0;
  for (const auto& [name, value] : values) sum += value;
  return sum;
}

std::string part_text(const std::string& name, double part, double whole) {
  return fmt::format("{} {:.0f} %", name, 100 * part / whole);
}

std::string phases_text(const NamedValues& phases) {
  const double whole = sum_of(phases);
  std::vector<std::string> parts;
  for (const auto& [name, seconds] : phases) parts.push_back(part_text(name, seconds, whole));
  return join(parts);
}

std::string layers_text(NamedValues layers) {
  const double whole = sum_of(layers);
  std::ranges::stable_sort(layers, std::greater(), [](const auto& layer) { return layer.second; });
  std::vector<std::string> parts;
  double rest = 0;
  for (const auto& [name, seconds] : layers) {
    if (seconds < kSmallest * whole) {
      rest += seconds;
    } else {
      parts.push_back(part_text(name, seconds, whole));
    }
  }
  if (rest > 0) parts.push_back(part_text("rest", rest, whole));
  return join(parts);
}

/// "a step of 2.41 ms: input 8 %, forward 31 %, ...; operations: matrix product 62 %, ..., rest 3 %": the
/// phases of the whole step, and the kinds of layers of the time in operations, largest first. Empty where
/// the case was not profiled.
std::string profile_text(const CaseRecord& record) {
  if (!record.profile_phases.has_value() || sum_of(record.profile_phases.value()) <= 0) return {};
  const NamedValues& phases = record.profile_phases.value();
  const std::string text =
      fmt::format("a step of {}: {}", prefixed_text(sum_of(phases), "s"), phases_text(phases));
  if (!record.profile_layers.has_value() || sum_of(record.profile_layers.value()) <= 0) return text;
  return text + "; operations: " + layers_text(record.profile_layers.value());
}

bool differs_in_precision(const CaseRecord& c, const CaseRecord& from) {
  const RowIdentity wanted = identity_of(from);
  return c.mode.precision != from.mode.precision && c.repeat == from.repeat &&
         identity_of(c).with("precision", wanted.at("precision")) == wanted;
}

/// "bf16 1.92" for each of the cases that differ from `base` in precision alone.
std::vector<std::string> gains(const CaseRecord& base, double base_seconds,
                               const std::vector<CaseRecord>& cases) {
  std::vector<std::string> words;
  for (const CaseRecord& c : cases) {
    const auto epochs = epoch_summary(c);
    if (!epochs.has_value() || epochs.value().median <= 0 || !differs_in_precision(c, base)) continue;
    words.push_back(
        fmt::format("{} {:.2f}", to_string(c.mode.precision), base_seconds / epochs.value().median));
  }
  return words;
}

/// "precision gain of cnn on cpu, batch 128: bf16 1.92, amp-bf16 1.40 (time in fp32 over its time)": a line
/// for each case that was measured in fp32 and otherwise, from the median epochs. Empty where there is none.
std::vector<std::string> precision_notes(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> notes;
  for (const CaseRecord& c : cases) {
    const auto epochs = epoch_summary(c);
    if (c.mode.precision != Precision::kFp32 || !epochs.has_value()) continue;
    const auto words = gains(c, epochs.value().median, cases);
    if (words.empty()) continue;
    const std::string sizes = c.sizes.empty() ? "" : " (" + c.sizes + ")";
    notes.push_back(fmt::format("precision gain of {}{} on {}, batch {}: {} (time in fp32 over its time)",
                                c.model, sizes, c.device, c.batch_size, join(words)));
  }
  return notes;
}

using Notes = std::vector<std::string>;

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

void add_once(Notes& notes, const std::string& note) {
  if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
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
    const std::vector<FieldValue> values = values_of(field, records);
    const std::string unit = is_in_heading(field.unit) ? " [" + field.unit + "]" : "";
    table.add_column(field.label + unit, has_text(values) ? Align::kLeft : Align::kRight);
    const int decimals = decimals_for(values);
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i].push_back(cell_text(values[i], field.unit, decimals));
  }
  for (auto& row : rows) table.add_row(std::move(row));
  return table.to_string();
}

/// Lines about cases that failed, warnings, data that is not the official one, and how the figures were made.
Notes table_notes(const RunRecord& run) {
  Notes notes;
  note_failures(notes, run.cases);
  for (std::string& note : warning_notes(run.cases)) notes.push_back(std::move(note));
  note_data(notes, run.environment.datasets);
  for (std::string& note : method_notes(run.cases)) notes.push_back(std::move(note));
  return notes;
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
  Notes notes;
  for (const WarningGroup& group : groups) {
    const std::string rows =
        group.rows.size() == 1 ? "1 row" : fmt::format("the worst of {} rows", group.rows.size());
    notes.push_back(fmt::format("warning: {} ({})", one_line(group.worst.text), rows));
  }
  return notes;
}

Notes method_notes(const std::vector<CaseRecord>& cases) {
  Notes notes;
  note_modes(notes, cases);
  for (std::string& note : precision_notes(cases)) notes.push_back(std::move(note));
  note_profiles(notes, cases);
  note_protocols(notes, cases);
  return notes;
}

std::string run_table(const RunRecord& record) {
  std::string text = table_text(case_fields(), record.cases);
  const std::vector<RepeatGroup> groups = repeat_groups(record);
  if (!groups.empty()) text += "\n" + table_text(repeat_fields(), groups);
  const std::vector<std::string> notes = table_notes(record);
  return notes.empty() ? text : text + "\n" + join(notes, "\n") + "\n";
}

}  // namespace gpubench
