#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

using Notes = std::vector<std::string>;

double compute_sum(const Measured<NamedValues>& values) {
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

/// Sorts layers by time, the largest first, with the small ones as one.
NamedValues summed_up(NamedValues layers, double whole) {
  constexpr double kSmallest = 0.02;
  std::ranges::stable_sort(layers, std::greater(), [](const auto& layer) { return layer.second; });
  const auto small =
      std::ranges::find_if(layers, [&](const auto& layer) { return layer.second < kSmallest * whole; });
  const double rest = compute_sum(NamedValues(small, layers.end()));
  layers.erase(small, layers.end());
  if (rest > 0) layers.emplace_back("rest", rest);
  return layers;
}

/// "mlp: a step of 2.41 ms: input 8 %, forward 31 %, ...; operations: matrix product 62 %, ..., rest 3 %":
/// the phases of the whole step, and the kinds of layers of the time in operations.
void note_profiles(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    const double step = compute_sum(c.profile_phases);
    if (step <= 0) continue;
    std::string text = fmt::format("{}: a step of {}: {}", case_name(c, has_repeats(cases)),
                                   prefixed_text(step, "s"), parts_text(c.profile_phases.value(), step));
    const double whole = compute_sum(c.profile_layers);
    if (whole > 0) text += "; operations: " + parts_text(summed_up(c.profile_layers.value(), whole), whole);
    notes.push_back(std::move(text));
  }
}

/// "precision gain of cnn on cpu, batch 128: bf16 1.92, amp-bf16 1.40 (time in fp32 over its time)": a line
/// for each case that was measured in fp32 and otherwise, from the median epochs.
void note_precisions(Notes& notes, const RunRecord& run) {
  Comparison comparison;
  comparison.candidates = make_candidates(run, "");
  const auto find_base = [](const RowRatio& gain) { return gain.base.figures; };
  for (const auto& [base, gains] : grouped(precision_gains(comparison), find_base)) {
    const RowIdentity& identity = base->identity;
    const std::string& sizes = identity.at("sizes");
    const auto to_text = [](const RowRatio& gain) {
      return fmt::format("{} {:.2f}", gain.other.figures->identity.at("precision"), gain.ratio.value);
    };
    notes.push_back(fmt::format("precision gain of {}{} on {}, batch {}: {} (time in fp32 over its time)",
                                identity.subject(), sizes.empty() ? "" : " (" + sizes + ")",
                                identity.at("device"), identity.at("batch_size"),
                                join(mapped(gains, to_text))));
  }
}

std::string warmup_text(std::int64_t warmup_epochs) {
  if (warmup_epochs == 0) return "no warm-up";
  if (warmup_epochs == 1) return "the first is warm-up";
  return fmt::format("the first {} are warm-up", warmup_epochs);
}

/// With a target every case has epochs and a warm-up of its own: only the rule is stated.
std::string epochs_text(const CaseRecord& c) {
  if (c.target_rel_ci95.has_value()) {
    return fmt::format(
        "{} to {} epochs, until ± this process is at most {:.3g} %; those before times are steady are "
        "warm-up",
        c.min_epochs, c.epochs, 100 * c.target_rel_ci95.value());
  }
  if (c.min_timed.value > 0) {
    return fmt::format("{} or more epochs, until they last {:.3g} s; {}", c.epochs, c.min_timed.value,
                       warmup_text(c.warmup_epochs));
  }
  const std::int64_t first = c.warmup_epochs + 1;
  const auto last = static_cast<std::int64_t>(c.epoch_seconds.size());
  const std::string counted =
      first == last ? fmt::format("epoch {}", first) : fmt::format("epochs {} to {}", first, last);
  return fmt::format("{} of {} ({})", counted, c.epochs, warmup_text(c.warmup_epochs));
}

/// Adds why modes became what they are: of cases of one model, device and mode, as of several batch sizes,
/// the first reason.
void note_modes(Notes& notes, const std::vector<CaseRecord>& cases, const std::string& what,
                Measured<std::string> CaseRecord::*used, std::string CaseRecord::*why) {
  using Reason = std::pair<std::string, std::string>;
  std::vector<Reason> reasons;
  for (const CaseRecord& c : cases) {
    // A CPU has no launches to save.
    if ((c.*why).empty() || (what == "execution" && c.device == "cpu")) continue;
    const std::string mode = (c.*used).has_value() ? one_line((c.*used).value()) + ": " : "";
    add_once(reasons,
             Reason{fmt::format("{} of {} on {}: {}", what, c.model, c.device, mode), one_line(c.*why)});
  }
  for (const auto& [mode, alike] : grouped(reasons, &Reason::first)) {
    const std::size_t more = alike.size() - 1;
    notes.push_back(mode + alike.front().second +
                    (more == 0 ? "" : fmt::format(" (and {} more alike)", more)));
  }
}

void note_peaks(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (!c.peak_source.has_value() || c.peak_source.value() != to_string(PeakSource::kRow)) continue;
    add_once(notes, fmt::format("MFU on {} in {}: the peak is the rate of the fastest row, which is above "
                                "what was measured; 'gpubench peak' measures in full",
                                c.device, to_string(c.mode.precision)));
  }
}

constexpr std::pair<const char*, const char*> kCauses[] = {
    {"other-processes", "other processes"},
    {"hypervisor", "the hypervisor"},
    {"cpu-quota", "the CPU quota"},
    {"too-many-threads", "more threads than free cores"},
    {"input", "waiting for input"},
    {"exchange", "exchanges between ranks"},
    {"launch", "launch overhead"},
    {"caches", "traffic that caches serve"},
    {"kernels", "kernels far below the peak; --profile tells which"},
};

/// "unexplained time of cnn, batch 128: most likely other processes": a line a cause.
void note_causes(Notes& notes, const std::vector<CaseRecord>& cases) {
  const CaseNames names(cases);
  std::vector<std::string> everyone;
  std::map<std::string, std::vector<std::string>> by_cause;
  for (const CaseRecord& c : cases) {
    add_once(everyone, names.all(c));
    const Measured<std::string> cause = likely_cause(c);
    if (cause.has_value()) add_once(by_cause[cause.value()], names.all(c));
  }
  for (const auto& [cause, words] : kCauses) {
    std::vector<std::string>& rows = by_cause[cause];
    if (rows.empty()) continue;
    const bool is_all = rows.size() > 1 && rows.size() == everyone.size();
    notes.push_back(fmt::format("unexplained time of {}: most likely {}",
                                is_all ? "all cases" : counted(std::move(rows)), words));
  }
}

/// "loading LibTorch took 0.62 s on cpu (not part of start-up)": a line a device.
void note_process_starts(Notes& notes, const std::vector<CaseRecord>& cases) {
  using Start = std::pair<std::string, double>;
  std::vector<Start> starts;
  for (const CaseRecord& c : cases) {
    if (c.process_start.has_value()) starts.emplace_back(c.device, c.process_start.value().value);
  }
  for (const auto& [device, its_starts] : grouped(starts, &Start::first)) {
    notes.push_back(fmt::format("loading LibTorch took {} s on {} (not part of start-up)",
                                figure_text(compute_median(mapped(its_starts, &Start::second))), device));
  }
}

/// "sd: ...; ± this process: ...", "± if run again: ...": explains the figures of the table.
void note_spread(Notes& notes, const RunRecord& run) {
  std::vector<CaseSummary> rows = aggregate_repeats(run);
  std::erase_if(rows, [](const CaseSummary& row) { return !row.is_ok(); });
  const auto any = [&](const auto& is) { return std::ranges::any_of(rows, is); };
  Notes parts;
  if (any([](const CaseSummary& row) { return epoch_cv(*row.told.front()).has_value(); }))
    parts.emplace_back("sd: standard deviation of epochs");
  if (any([](const CaseSummary& row) { return epoch_interval(*row.told.front()).has_value(); }))
    parts.emplace_back(
        "± this process: half the 95 % interval of the median by the epochs of a process alone");
  if (!parts.empty()) notes.push_back(join(parts, "; "));
  if (!any([](const CaseSummary& row) { return row.between_runs.has_value(); })) return;
  for (const CaseSummary& row : rows) {
    add_once(notes, row.between_runs.has_value()
                        ? "± if run again: half the 95 % interval by the medians of processes"
                        : "± if run again unknown: " + row.between_runs.reason());
  }
}

void note_protocols(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (!steady_epochs(c).empty())
      add_once(notes, fmt::format("protocol {}, timed: {}", to_string(c.protocol), epochs_text(c)));
  }
}

/// "target of ± 1 % in process: reached by 1 of 3 processes": whether --target-ci was reached.
void note_targets(Notes& notes, const std::vector<CaseRecord>& cases) {
  std::vector<const CaseRecord*> aimed;
  for (const CaseRecord& c : cases) {
    if (c.target_rel_ci95.has_value() && !steady_epochs(c).empty()) aimed.push_back(&c);
  }
  const auto find_target = [](const CaseRecord* c) { return c->target_rel_ci95.value(); };
  const auto has_reached = [](const CaseRecord* c) {
    return c->stopped_by.has_value() && c->stopped_by.value() == "target-ci";
  };
  for (const auto& [target, all] : grouped(aimed, find_target)) {
    notes.push_back(fmt::format("target of ± {} in process: reached by {} of {} processes",
                                percent_text(target), std::ranges::count_if(all, has_reached), all.size()));
  }
}

}  // namespace

std::string reason_text(const CaseRecord& c) {
  const std::string reason = one_line(c.status_reason);
  if (!c.requested.has_value()) return reason;
  const std::string free = c.available.has_value() ? ", " + byte_text(c.available.value()) + " free" : "";
  return fmt::format("{} ({} asked for{})", reason, byte_text(c.requested.value()), free);
}

Notes failure_notes(const std::vector<CaseRecord>& cases) {
  constexpr std::size_t kMostNamed = 3;  // Among cases that ended alike.
  std::vector<const CaseRecord*> failed;
  for (const CaseRecord& c : cases) {
    if (c.status != RowStatus::kOk) failed.push_back(&c);
  }
  const auto describe_what = [](const CaseRecord* c) {
    return to_string(c->status) + ": " + reason_text(*c);
  };
  Notes notes;
  for (const auto& [what, alike] : grouped(failed, describe_what)) {
    const auto named = grouped(alike, [](const CaseRecord* c) { return make_name(make_identity(*c)); });
    if (named.size() > kMostNamed) {
      notes.push_back(fmt::format("{} and {} more cases: {}", named.front().first, named.size() - 1, what));
      continue;
    }
    for (const auto& [name, records] : named) {
      const std::string numbers =
          join(mapped(records, [](const CaseRecord* c) { return std::to_string(c->repeat); }));
      const std::string which =
          has_repeats(cases) ? fmt::format(", repeat{} {}", records.size() == 1 ? "" : "s", numbers) : "";
      notes.push_back(fmt::format("{}{}: {}", name, which, what));
    }
  }
  return notes;
}

Notes warning_notes(const std::vector<CaseRecord>& cases) {
  std::vector<WarningGroup> groups;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    for (const Warning& warning : cases[i].warnings) add_warning(warning, i, groups);
  }
  return mapped(groups, [](const WarningGroup& group) {
    const std::size_t count = group.rows.size();
    return fmt::format("warning: {} ({})", one_line(group.worst.text),
                       count == 1 ? "1 process" : fmt::format("the worst of {} processes", count));
  });
}

Notes data_notes(const RunRecord& run) {
  Notes notes;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    std::vector<std::string> parts{one_line(dataset.name)};
    if (dataset.is_synthetic) parts.push_back("synthetic data, so accuracy means nothing");
    if (!dataset.note.empty()) parts.push_back(one_line(dataset.note));
    if (parts.size() > 1) notes.push_back(join(parts, ": "));
  }
  return notes;
}

Notes method_notes(const RunRecord& run) {
  Notes notes;
  note_modes(notes, run.cases, "layout", &CaseRecord::layout_used, &CaseRecord::layout_note);
  note_modes(notes, run.cases, "execution", &CaseRecord::execution_used, &CaseRecord::execution_note);
  note_precisions(notes, run);
  note_profiles(notes, run.cases);
  note_peaks(notes, run.cases);
  note_causes(notes, run.cases);
  note_process_starts(notes, run.cases);
  note_spread(notes, run);
  note_protocols(notes, run.cases);
  note_targets(notes, run.cases);
  return notes;
}

}  // namespace gpubench
