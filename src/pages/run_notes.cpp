#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "compare/case_summary.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "pages/run_sections.h"

namespace gpubench {
namespace {

/// What is less than this part of the whole is not named.
constexpr double kSmallest = 0.02;

using Notes = std::vector<std::string>;

/// 0 where there are none.
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

/// The largest first, the small ones as one.
NamedValues summed_up(NamedValues layers, double whole) {
  std::ranges::stable_sort(layers, std::greater(), [](const auto& layer) { return layer.second; });
  const auto small =
      std::ranges::find_if(layers, [&](const auto& layer) { return layer.second < kSmallest * whole; });
  const double rest = compute_sum(NamedValues(small, layers.end()));
  layers.erase(small, layers.end());
  if (rest > 0) layers.emplace_back("rest", rest);
  return layers;
}

/// "a step of 2.41 ms: input 8 %, forward 31 %, ...; operations: matrix product 62 %, ..., rest 3 %": the
/// phases of the whole step, and the kinds of layers of the time in operations, largest first. Empty where
/// the case was not profiled.
std::string profile_text(const CaseRecord& record) {
  const double step = compute_sum(record.profile_phases);
  if (step <= 0) return {};
  const std::string text = fmt::format("a step of {}: {}", prefixed_text(step, "s"),
                                       parts_text(record.profile_phases.value(), step));
  const double whole = compute_sum(record.profile_layers);
  if (whole <= 0) return text;
  return text + "; operations: " + parts_text(summed_up(record.profile_layers.value(), whole), whole);
}

bool differs_in_precision(const RowIdentity& one, const RowIdentity& other) {
  return one.at("precision") != other.at("precision") &&
         one.without({"precision"}) == other.without({"precision"});
}

/// "bf16 1.92" for each of the cases that differ from `base` in precision alone.
Notes gains(const RowFigures& base, const std::vector<RowFigures>& cases) {
  Notes words;
  for (const RowFigures& c : cases) {
    if (!c.seconds.has_value() || !differs_in_precision(c.identity, base.identity)) continue;
    words.push_back(fmt::format("{} {:.2f}", c.identity.at("precision"),
                                base.seconds.value().value / c.seconds.value().value));
  }
  return words;
}

/// "precision gain of cnn on cpu, batch 128: bf16 1.92, amp-bf16 1.40 (time in fp32 over its time)": a line
/// for each case that was measured in fp32 and otherwise, from the median epochs.
void note_precisions(Notes& notes, const RunRecord& run) {
  const std::vector<RowFigures> cases = make_rows(run);
  for (const RowFigures& c : cases) {
    if (c.identity.at("precision") != to_string(Precision::kFp32) || !c.seconds.has_value()) continue;
    const Notes words = gains(c, cases);
    if (words.empty()) continue;
    const std::string& sizes = c.identity.at("sizes");
    notes.push_back(fmt::format("precision gain of {}{} on {}, batch {}: {} (time in fp32 over its time)",
                                c.identity.subject(), sizes.empty() ? "" : " (" + sizes + ")",
                                c.identity.at("device"), c.identity.at("batch_size"), join(words)));
  }
}

std::string warmup_text(std::int64_t warmup_epochs) {
  if (warmup_epochs == 0) return "no warm-up";
  if (warmup_epochs == 1) return "the first is warm-up";
  return fmt::format("the first {} are warm-up", warmup_epochs);
}

// With a target every case has epochs and a warm-up of its own: the rule is said once, the file has the rest.
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

/// But for what these are of too: "26.4 ms" and "980 µs" are alike.
std::string without_figures(const std::string& text) {
  std::string words;
  bool is_unit = false;
  std::istringstream all(text);
  for (std::string word; all >> word;) {
    const bool is_figure = word.front() >= '0' && word.front() <= '9';
    if (!is_figure && !is_unit) words += word + " ";
    is_unit = is_figure;
  }
  return words;
}

// Why a mode became what it is is mostly the same for all batch sizes.
void note_mode(Notes& notes, const std::string& what, const CaseRecord& c, const Measured<std::string>& used,
               const std::string& why) {
  if (why.empty()) return;
  const std::string value = used.has_value() ? one_line(used.value()) + ": " : "";
  add_once(notes, fmt::format("{} of {} on {}: {}{}", what, c.model, c.device, value, one_line(why)));
}

/// Of notes that differ in figures alone, as those of several batch sizes do, the first.
Notes mode_notes(const std::vector<CaseRecord>& cases) {
  Notes notes;
  for (const CaseRecord& c : cases) note_mode(notes, "layout", c, c.layout_used, c.layout_note);
  for (const CaseRecord& c : cases) {
    // That a CPU has no launches to save is no news.
    if (c.device != "cpu") note_mode(notes, "execution", c, c.execution_used, c.execution_note);
  }
  return mapped(grouped(notes, without_figures), [](const auto& alike) {
    const std::size_t more = alike.second.size() - 1;
    return alike.second.front() + (more == 0 ? "" : fmt::format(" (and {} more alike)", more));
  });
}

void note_profiles(Notes& notes, const std::vector<CaseRecord>& cases) {
  const bool is_repeated = has_repeats(cases);
  for (const CaseRecord& c : cases) {
    const std::string profile = profile_text(c);
    if (!profile.empty()) notes.push_back(case_name(c, is_repeated) + ": " + profile);
  }
}

void note_peaks(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (c.peak_source != Measured<std::string>(to_string(PeakSource::kRow))) continue;
    add_once(notes, fmt::format("MFU on {} in {}: the peak is the rate of the fastest row, which is above "
                                "what was measured; 'gpubench peak' measures in full",
                                c.device, to_string(c.mode.precision)));
  }
}

constexpr std::pair<std::string_view, const char*> kCauses[] = {
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
  for (const CaseRecord& c : cases) add_once(everyone, names.all(c));
  for (const auto& [cause, words] : kCauses) {
    std::vector<std::string> rows;
    for (const CaseRecord& c : cases) {
      if (likely_cause(c) == Measured<std::string>(std::string(cause))) add_once(rows, names.all(c));
    }
    if (rows.empty()) continue;
    const bool is_all = rows.size() > 1 && rows.size() == everyone.size();
    notes.push_back(fmt::format("unexplained time of {}: most likely {}",
                                is_all ? "all cases" : counted(std::move(rows)), words));
  }
}

/// "loading LibTorch took 0.62 s on cpu (not part of start-up)": a line a device.
void note_process_starts(Notes& notes, const std::vector<CaseRecord>& cases) {
  std::vector<std::string> devices;
  for (const CaseRecord& c : cases) add_once(devices, c.device);
  for (const std::string& device : devices) {
    std::vector<double> starts;
    for (const CaseRecord& c : cases) {
      if (c.device == device && c.process_start.has_value()) starts.push_back(c.process_start.value().value);
    }
    if (!starts.empty())
      notes.push_back(fmt::format("loading LibTorch took {} s on {} (not part of start-up)",
                                  figure_text(compute_median(starts)), device));
  }
}

/// What the figure of a row between runs is, or why it is not known beside others.
std::string between_runs_text(const CaseSummary& row) {
  if (!row.between_runs.has_value()) return "± if run again unknown: " + row.between_runs.reason();
  return "± if run again: half the 95 % interval by the medians of processes";
}

/// "sd: ...; ± this process: ...", "± if run again: ...": what the figures of the table are.
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
  for (const CaseSummary& row : rows) add_once(notes, between_runs_text(row));
}

void note_protocols(Notes& notes, const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (!steady_epochs(c).empty())
      add_once(notes, fmt::format("protocol {}, timed: {}", to_string(c.protocol), epochs_text(c)));
  }
}

Measured<double> process_halfwidth(const CaseRecord& c) {
  return epoch_summary(c).then(
      [&](const Summary& summary) { return halfwidth(epoch_interval(c), summary.median); });
}

/// "cnn on cpu, batch 128: ± 40 % after 200 epochs (max-epochs)": the case that is known least.
std::string least_known(const std::vector<const CaseRecord*>& cases, bool is_repeated) {
  const auto uncertainty = [](const CaseRecord* c) {
    const Measured<double> known = process_halfwidth(*c);
    return known.has_value() ? known.value() : std::numeric_limits<double>::infinity();
  };
  const CaseRecord& worst = **std::ranges::max_element(cases, {}, uncertainty);
  const Measured<double> known = process_halfwidth(worst);
  return fmt::format("{}: ± {} after {} epochs{}", case_name(worst, is_repeated),
                     known.has_value() ? percent_text(known.value()) : "unknown", worst.epoch_seconds.size(),
                     worst.stopped_by.has_value() ? " (" + one_line(worst.stopped_by.value()) + ")" : "");
}

/// "target of ± 1 % in process: reached by 1 of 3 processes; worst: ...": whether --target-ci was
/// reached, and the figure that is furthest from it.
void note_targets(Notes& notes, const std::vector<CaseRecord>& cases) {
  std::vector<const CaseRecord*> aimed;
  for (const CaseRecord& c : cases) {
    if (c.target_rel_ci95.has_value() && !steady_epochs(c).empty()) aimed.push_back(&c);
  }
  const auto find_target = [](const CaseRecord* c) { return c->target_rel_ci95.value(); };
  for (const auto& [target, all] : grouped(aimed, find_target)) {
    std::vector<const CaseRecord*> missed = all;
    std::erase_if(missed, [](const CaseRecord* c) {
      return c->stopped_by == Measured<std::string>(std::string("target-ci"));
    });
    notes.push_back(fmt::format("target of ± {} in process: reached by {} of {} processes; worst: {}",
                                percent_text(target), all.size() - missed.size(), all.size(),
                                least_known(missed.empty() ? all : missed, has_repeats(cases))));
  }
}

std::string repeats_text(const std::vector<std::int64_t>& repeats) {
  return fmt::format(", repeat{} {}", repeats.size() == 1 ? "" : "s",
                     join(mapped(repeats, [](std::int64_t repeat) { return std::to_string(repeat); })));
}

}  // namespace

std::string reason_text(const CaseRecord& c) {
  const std::string reason = one_line(c.status_reason);
  if (!c.requested.has_value()) return reason;
  const std::string free = c.available.has_value() ? ", " + byte_text(c.available.value()) + " free" : "";
  return fmt::format("{} ({} asked for{})", reason, byte_text(c.requested.value()), free);
}

Notes failure_notes(const std::vector<CaseRecord>& cases) {
  constexpr std::size_t kMostNamed = 3;  // Of cases that ended alike.
  const bool is_repeated = has_repeats(cases);
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
      const std::string which =
          is_repeated ? repeats_text(mapped(records, [](const CaseRecord* c) { return c->repeat; })) : "";
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

Notes data_notes(const std::vector<DatasetRecord>& datasets) {
  Notes notes;
  for (const DatasetRecord& dataset : datasets) {
    std::vector<std::string> parts{dataset.name};
    if (dataset.is_synthetic) parts.push_back("synthetic data, so accuracy means nothing");
    if (!dataset.note.empty()) parts.push_back(one_line(dataset.note));
    if (parts.size() > 1) notes.push_back(join(parts, ": "));
  }
  return notes;
}

Notes method_notes(const RunRecord& run) {
  Notes notes = mode_notes(run.cases);
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
