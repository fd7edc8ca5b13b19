#include "app/ab/sides.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "compare/conclusions.h"
#include "device/host/host_process.h"
#include "engine/plan/plan.h"
#include "gpubench/core/clock.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "pages/format.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

constexpr std::size_t kMostFailures = 3;  // In a row.

/// For what gpubench does before and after its case: devices, data, the result.
constexpr Seconds kAroundCase{600};

/// "B 1.10 times as fast as A (1.05 to 1.15)".
std::string ratio_text(const BaselineComparison& versus) {
  const std::vector<RowRatio> rows = row_ratios(versus);
  if (rows.empty()) return fmt::format("{} has no ratio yet", pair_name(versus));
  const Estimate ratio = compute_mean(rows);
  const std::string range = interval_text(ratio);
  return fmt::format("{} {} times as fast as {}{}", versus.other->label, figure_text(ratio.value),
                     versus.base->label, range.empty() ? "" : fmt::format(" ({})", range));
}

/// gpubench ends a case by itself, and its row says so; unless it is stopped.
std::optional<Seconds> find_timeout(const Side& side) {
  const std::string text = value_in(side.training, "--timeout", "");
  if (text.empty()) return std::nullopt;
  const Seconds timeout = parse_duration(text, "--timeout");
  return side.is_peer() ? timeout : timeout + kAroundCase;
}

std::string rounds_text(std::int64_t rounds) { return counted(static_cast<std::size_t>(rounds), "round"); }

/// Returns true if a round of `more` trials would end in time if they take as long as those before.
bool fits(const std::optional<Seconds>& budget, Seconds elapsed, std::size_t before, std::size_t more) {
  if (!budget || before == 0) return true;
  return elapsed.value * static_cast<double>(before + more) / static_cast<double>(before) <= budget->value;
}

void report_failure(const SideLog& log) {
  const CaseRecord& row = log.document.cases.back();
  const std::string last = row.stderr_tail.empty() ? "" : ": " + row.stderr_tail.back();
  log_info("round {}, side {}: {}{}", row.repeat, log.side.name, row.status_reason, last);
}

/// Returns the number of rounds after the last one with a row that ended well.
std::size_t count_failures(const SideLog& log) {
  std::int64_t last_good = 0;
  for (const CaseRecord& row : log.document.cases) {
    if (row.status == RowStatus::kOk) last_good = std::max(last_good, row.repeat);
  }
  std::set<std::int64_t> failed;
  for (const CaseRecord& row : log.document.cases) {
    if (row.repeat > last_good) failed.insert(row.repeat);
  }
  return failed.size();
}

}  // namespace

bool is_decided(const Comparison& comparison, const std::optional<double>& threshold) {
  bool is_open = false;
  bool has_ratio = false;
  bool has_hope = false;
  std::string why;
  for (const BaselineComparison& versus : comparison.versus_baseline) {
    for (const Pair& pair : versus.pairs) {
      const Measured<Estimate> ratio = speed_ratio(pair);
      if (!ratio.has_value()) {
        why = ratio.reason();
        // A row that failed has no time yet, and may have one in the next round.
        has_hope = has_hope ||
                   (pair.is_common() && !(pair.base->seconds.has_value() && pair.other->seconds.has_value()));
        continue;
      }
      has_ratio = true;
      const Outcome outcome = decide_outcome(ratio.value(), compute_margin(pair));
      is_open = is_open || outcome == Outcome::kUndecided || outcome == Outcome::kUnknown;
    }
  }
  require(has_ratio || has_hope,
          "ab: the sides do not compare ({}); --unlike shows figures of different work too", why);
  if (threshold && has_ratio) is_open = gate(comparison, *threshold).answer == GateVerdict::kInconclusive;
  return has_ratio && !is_open;
}

std::vector<std::vector<std::size_t>> make_orders(std::size_t sides, std::int64_t rounds, std::int64_t seed) {
  std::vector<std::int64_t> repeats;
  for (std::int64_t round = 1; round <= rounds; ++round) repeats.insert(repeats.end(), sides, round);
  // execution_order() shuffles only if there are repetitions, so that one round alone needs one more.
  repeats.push_back(rounds + 1);
  const std::vector<std::size_t> order = execution_order(repeats, seed);
  std::vector<std::vector<std::size_t>> orders(static_cast<std::size_t>(rounds));
  for (std::size_t i = 0; i + 1 < order.size(); ++i) orders[i / sides].push_back(order[i] % sides);
  return orders;
}

InterleavedRunEnd InterleavedRun::run(Interrupts& interrupts) {
  InterleavedRunEnd end = run_trials(interrupts);
  for (SideLog& log : logs_) {
    if (!end.is_interrupted) log.document.tool.finished_at = utc_timestamp();
  }
  const std::vector<RunRecord> all = make_documents(logs_, /*is_final=*/true);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].cases.empty()) files_[i].save(run_document(all[i]));
  }
  return end;
}

InterleavedRunEnd InterleavedRun::run_trials(Interrupts& interrupts) {
  const SteadyClock clock;
  const Seconds start = clock.now();
  std::size_t runs = 0;
  std::int64_t round = 0;
  for (const auto& order : make_orders(logs_.size(), settings_.rounds, settings_.order_seed)) {
    ++round;
    if (std::ranges::none_of(logs_, [&](const SideLog& log) { return log.has_run_in(round); })) {
      if (const auto end = reason_to_end(round - 1)) return *end;
      if (!fits(settings_.budget, clock.now() - start, runs, logs_.size()))
        return {"budget, " + rounds_text(round - 1)};
    }
    for (const std::size_t side : order) {
      if (logs_[side].has_run_in(round)) continue;
      if (const auto end = take(logs_[side], round, interrupts)) return *end;
      ++runs;
    }
  }
  if (const auto end = reason_to_end(settings_.rounds)) return *end;
  return {rounds_text(settings_.rounds)};
}

std::optional<InterleavedRunEnd> InterleavedRun::reason_to_end(std::int64_t round) const {
  if (round == 0 || !is_decided(comparison(), settings_.gate) || round < settings_.min_rounds)
    return std::nullopt;
  return InterleavedRunEnd{"verdict after " + rounds_text(round)};
}

std::optional<InterleavedRunEnd> InterleavedRun::take(SideLog& log, std::int64_t round,
                                                      Interrupts& interrupts) {
  const std::string started_at = utc_timestamp_milliseconds();
  const ProcessEnd end =
      run_command(make_command(log.side, executable_path()), find_timeout(log.side), interrupts);
  if (end.is_interrupted) return InterleavedRunEnd{"interrupted", true};
  add_run(log, round, started_at, end);
  const std::vector<RunRecord> all = make_documents(logs_, /*is_final=*/false);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!all[i].cases.empty()) files_[i].save_snapshot(run_document(all[i]));
  }
  const std::size_t failures = count_failures(log);
  if (failures > 0 && !settings_.is_quiet) report_failure(log);
  if (interrupts.count() > 0) return InterleavedRunEnd{"interrupted", true};
  if (failures >= kMostFailures)
    return InterleavedRunEnd{fmt::format("side {} failed {} times in a row", log.side.name, failures)};
  const auto has_run = [&](const SideLog& one) { return one.has_run_in(round); };
  if (!settings_.is_quiet && std::ranges::all_of(logs_, has_run))
    log_info("round {}: {}", round, join(mapped(comparison().versus_baseline, ratio_text), "; "));
  return std::nullopt;
}

Comparison InterleavedRun::comparison() const {
  const std::vector<RunRecord> all = make_documents(logs_, /*is_final=*/true);
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < all.size(); ++i)
    append(candidates, make_candidates(all[i], files_[i].path().filename().string()));
  return compare(std::move(candidates), settings_.is_forced, settings_.equality_margin);
}

bool InterleavedRun::has_failures() const {
  const auto is_bad = [](const CaseRecord& row) { return row.status != RowStatus::kOk; };
  return std::ranges::any_of(
      logs_, [&](const SideLog& log) { return std::ranges::any_of(log.document.cases, is_bad); });
}

}  // namespace gpubench
