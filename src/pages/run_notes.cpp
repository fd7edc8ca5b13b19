#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

using Notes = std::vector<std::string>;

const char* row_noun(const std::vector<CaseRecord>& cases) { return has_repeats(cases) ? "repeat" : "case"; }

double compute_sum(const NamedValues& values) {
  double sum = 0;
  for (const auto& [name, value] : values) sum += value;
  return sum;
}

/// Returns "input 8 %, forward 31 %".
std::string parts_text(const NamedValues& parts, double whole) {
  return join(mapped(parts, [whole](const auto& part) {
    return fmt::format("{} {:.0f} %", part.first, 100 * part.second / whole);
  }));
}

/// Sorts layers by time, the slowest first, and merges small ones into "rest".
NamedValues summed_up(NamedValues layers, double whole) {
  constexpr double kSmallest = 0.02;
  std::ranges::stable_sort(layers, std::greater(), [](const auto& layer) { return layer.second; });
  const auto small =
      std::ranges::find_if(layers, [&](const auto& layer) { return layer.second < kSmallest * whole; });
  const double rest = compute_sum({small, layers.end()});
  layers.erase(small, layers.end());
  if (rest > 0) layers.emplace_back("rest", rest);
  return layers;
}

/// Adds the reason for each automatically chosen mode, once per model and device.
void note_modes(Notes& notes, const std::vector<CaseRecord>& cases, const std::string& what,
                Measured<std::string> CaseRecord::*used, std::string CaseRecord::*why) {
  std::set<std::string> explained;
  for (const CaseRecord& c : cases) {
    // On a CPU the execution is always eager.
    if ((c.*why).empty() || (what == "Execution" && c.device == "cpu")) continue;
    const std::string mode = (c.*used).has_value() ? one_line((c.*used).value()) + ": " : "";
    const std::string start = fmt::format("{} of {} on {}: {}", what, c.model, c.device, mode);
    if (explained.insert(start).second) notes.push_back(start + one_line(c.*why));
  }
}

/// Returns "mlp, batch 32, and 2 more".
std::string name_first(const std::vector<std::string>& names) {
  return names.front() + (names.size() == 1 ? "" : fmt::format(", and {} more", names.size() - 1));
}

/// Adds a line per cause: "Unclear what limits cnn, batch 128; likely cause: waiting for input".
void note_causes(Notes& notes, const std::vector<CaseRecord>& cases) {
  const CaseNames names(cases);
  std::vector<std::string> everyone;
  for (const CaseRecord& c : cases) add_once(everyone, names.all(c));
  std::vector<std::string> explained;  // Repeats of a case may have several causes; the first one counts.
  for (const auto& [cause, text] : likely_causes()) {
    std::vector<std::string> affected;
    bool is_profiled = false;
    for (const CaseRecord& c : cases) {
      const std::string name = names.all(c);
      if (likely_cause(c).value_or("") != cause || std::ranges::count(explained, name) > 0) continue;
      add_once(affected, name);
      is_profiled = is_profiled || c.profile_phases.has_value();
    }
    if (affected.empty()) continue;
    append(explained, affected);
    const bool is_all = affected.size() > 1 && affected.size() == everyone.size();
    const bool is_shown = is_profiled && cause == "kernels";
    notes.push_back(fmt::format("Unclear what limits {}; likely cause: {}",
                                is_all ? "all cases" : name_first(affected),
                                is_shown ? "slow kernels, listed below" : text));
  }
}

/// Adds "Caution: other processes used 83 % of the CPU time (worst of 2 of 5 repeats); close other programs".
void note_warnings(Notes& notes, const std::vector<CaseRecord>& cases) {
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const Warning& warning : cases[i].warnings) add_warning(warning, i, groups);
  }
  const auto is_wait = [](const WarningGroup& group) { return group.worst.kind == WarningKind::kCoreWait; };
  const bool has_wait = std::ranges::any_of(groups, is_wait);
  for (const WarningGroup& group : groups) {
    // The text of core-wait includes the other processes.
    if (has_wait && group.worst.kind == WarningKind::kOtherProcesses) continue;
    std::string text = "Caution: " + one_line(group.worst.text);
    const std::size_t count = group.rows.size();
    if (cases.size() > 1)
      text += fmt::format(" ({}{} of {})", count > 1 ? "worst of " : "", count,
                          counted(cases.size(), row_noun(cases)));
    notes.push_back(text + prepend_if_any("; ", std::string(get_entry(group.worst.kind).remedy)));
  }
}

void note_data(Notes& notes, const RunRecord& run) {
  for (const DatasetRecord& dataset : run.environment.datasets) {
    const std::string name = one_line(dataset.name);
    const std::string why = one_line(dataset.note);
    // The table of datasets shows the whole note.
    const std::string reason = why.empty() ? "" : " (" + why.substr(0, why.find(" (")) + ")";
    if (dataset.is_synthetic)
      notes.push_back(fmt::format("Synthetic data for {}: accuracy is meaningless{}", name, reason));
    else if (!why.empty())
      notes.push_back(fmt::format("Data of {}: {}", name, why));
  }
}

/// Adds "Target of ± 1 % missed in 2 of 3 cases; raise --epochs".
void note_targets(Notes& notes, const std::vector<CaseRecord>& cases) {
  std::vector<const CaseRecord*> missed;
  for (const CaseRecord& c : cases) {
    const bool is_aimed = c.target_rel_ci95.has_value() && !steady_epochs(c).empty();
    if (is_aimed && c.stopped_by != Measured<std::string>("target-ci")) missed.push_back(&c);
  }
  if (!missed.empty())
    notes.push_back(fmt::format("Target of ± {} missed in {} of {}; raise --epochs",
                                percent_text(missed.front()->target_rel_ci95.value()), missed.size(),
                                counted(cases.size(), row_noun(cases))));
}

/// Adds the worst case above `limit` and the number of others: "WHAT 24 % (lstm, batch 128, and 2 more);
/// REMEDY".
void note_worst(Notes& notes, const RunRecord& run, double limit,
                Measured<double> (*find_part)(const CaseRecord&), const char* what, const char* remedy) {
  const CaseNames names(run.cases);
  std::vector<std::string> affected;
  double worst = limit;
  for (const CaseRecord& c : run.cases) {
    const double part = c.status == RowStatus::kOk ? find_part(c).value_or(0) : 0;
    if (!(part > limit)) continue;
    const std::string name = names.all(c);
    add_once(affected, name);
    if (part > worst) std::iter_swap(affected.begin(), std::ranges::find(affected, name));
    worst = std::max(worst, part);
  }
  if (!affected.empty())
    notes.push_back(fmt::format("{} {} ({}); {}", what, percent_text(worst), name_first(affected), remedy));
}

Measured<double> find_drift(const CaseRecord& c) {
  if (is_steady(c) != Measured<bool>(false)) return missing("times are steady");
  return epoch_slope(c).then([](double slope) { return std::abs(slope); });
}

Measured<double> find_slowdown(const CaseRecord& c) {
  return sustained_speed(c).then([](const SustainedSpeed& speed) {
    return speed.onset_seconds.then([&](double) { return 1 - speed.kept; });
  });
}

void note_times(Notes& notes, const RunRecord& run) {
  if (run.published) return;
  note_worst(notes, run, 0.1, epoch_cv, "Epoch times vary by", "use an idle machine or more epochs");
  note_worst(notes, run, 0, find_drift, "Epoch times not stable, change per epoch",
             "raise --warmup or --epochs");
  note_worst(notes, run, 0, find_slowdown, "Speed after the first minute drops by",
             "see the sustained speed in 'gpubench show --details'");
}

/// Adds "Energy not measured (2 of 3 repeats): no power meter can be read; see ...", with the first reason.
void note_energy(Notes& notes, const RunRecord& run) {
  if (run.published) return;
  std::vector<std::string> reasons;
  const auto good = std::ranges::count(run.cases, RowStatus::kOk, &CaseRecord::status);
  for (const CaseRecord& c : run.cases) {
    const Measured<CaseEnergy> energy = case_energy(c);
    const bool is_tried = !c.energy.empty() || !c.energy_note.empty();
    if (c.status == RowStatus::kOk && !energy.has_value() && is_tried)
      reasons.push_back(one_line(energy.reason()));
  }
  if (reasons.empty()) return;
  const std::string count = std::ssize(reasons) == good
                                ? ""
                                : fmt::format(" ({} of {})", reasons.size(),
                                              counted(static_cast<std::size_t>(good), row_noun(run.cases)));
  const std::size_t bracket = reasons.front().find(" (");
  notes.push_back(fmt::format("Energy not measured{}: {}{}", count, reasons.front().substr(0, bracket),
                              bracket == std::string::npos ? "" : "; see 'gpubench doctor --power'"));
}

}  // namespace

Notes run_notes(const RunRecord& run) {
  Notes notes;
  note_warnings(notes, run.cases);
  note_data(notes, run);
  note_targets(notes, run.cases);
  note_times(notes, run);
  note_causes(notes, run.cases);
  note_energy(notes, run);
  return notes;
}

Notes method_notes(const RunRecord& run) {
  Notes notes;
  note_modes(notes, run.cases, "Layout", &CaseRecord::layout_used, &CaseRecord::layout_note);
  note_modes(notes, run.cases, "Execution", &CaseRecord::execution_used, &CaseRecord::execution_note);
  for (const CaseRecord& c : run.cases) {
    if (c.peak_source.value_or("") != to_string(PeakSource::kRow)) continue;
    add_once(notes, fmt::format("MFU of {} in {}: the fastest row exceeds the measured peak and is used as "
                                "the peak; run 'gpubench peak' for a full measurement",
                                c.device, to_string(c.mode.precision)));
  }
  return notes;
}

Notes profile_notes(const std::vector<CaseRecord>& cases) {
  Notes notes;
  const CaseNames names(cases);
  for (const CaseRecord& c : cases) {
    const NamedValues phases = c.profile_phases.value_or({});
    const double step = compute_sum(phases);
    if (step <= 0) continue;
    std::string text =
        fmt::format("{}: step of {}: {}", names.one(c), prefixed_text(step, "s"), parts_text(phases, step));
    const NamedValues layers = c.profile_layers.value_or({});
    const double whole = compute_sum(layers);
    if (whole > 0) text += "; operations: " + parts_text(summed_up(layers, whole), whole);
    notes.push_back(std::move(text));
  }
  return notes;
}

}  // namespace gpubench
