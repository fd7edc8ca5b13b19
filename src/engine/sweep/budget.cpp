#include "engine/sweep/sweep.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

constexpr Seconds kPilotSteps{1};
constexpr Seconds kMaxStep{4};             // Longest step to try; a pilot makes at least two.
constexpr double kForwardShare = 1.0 / 3;  // Time of a forward pass over the time of a training step.

/// Returns the value at `x` of the line through one or two points. Slope and intercept are at least zero.
double on_line(double x1, double y1, double x2, double y2, double x) {
  const double slope = x2 > x1 ? std::max(0.0, (y2 - y1) / (x2 - x1)) : y1 / x1;
  const double start = y2 - slope * x2;
  return start >= 0 ? start + slope * x : y2 / x2 * x;
}

/// Returns the fixed number of epochs or, for a target, the number that takes kLeastSteady, within the
/// limits.
std::int64_t expected_epochs(const TrainPoint& asked, double epoch_seconds) {
  const auto epochs_in = [&](Seconds time) {
    const double steady = std::ceil(time.value / std::max(epoch_seconds, 1e-6));
    const double wanted = static_cast<double>(asked.warmup_epochs) + steady;
    return std::int64_t{std::llround(std::min(wanted, static_cast<double>(kMostEpochs)))};
  };
  const std::int64_t usual = asked.target_rel_ci95.has_value()
                                 ? std::clamp(epochs_in(kLeastSteady), asked.min_epochs, asked.epochs)
                                 : asked.epochs;
  return asked.min_timed.value > 0 ? std::max(usual, epochs_in(asked.min_timed)) : usual;
}

double evaluation_load(const CaseRecord& planned, std::int64_t epochs) {
  const std::int64_t validation = planned.validation_samples;
  const std::int64_t test = planned.test_samples;
  const std::int64_t samples = planned.protocol != "fit"
                                   ? (test > 0 ? test : validation)
                                   : validation + test + epochs * (validation > 0 ? validation : test);
  return kForwardShare * static_cast<double>(samples);
}

/// Predicts the length of a case from the time of a training sample.
Forecast forecast_at(double sample_seconds, const Case& c, const CaseRecord& planned) {
  const double epoch = sample_seconds * static_cast<double>(planned.train_samples);
  const std::int64_t epochs = expected_epochs(c.asked, epoch);
  return {epochs,
          Seconds{static_cast<double>(epochs) * epoch + sample_seconds * evaluation_load(planned, epochs)}};
}

/// Pilots of one model, mode and device by batch size: one or two; none if aborted.
using Pilots = std::map<std::int64_t, Pilot>;

/// Returns a key that is equal for cases that share their pilots.
std::string pilot_key(const Case& c) {
  return join(
      std::vector{model_text(c), c.dataset->name, c.asked.device, c.asked.protocol, mode_text(c.asked.mode)},
      "; ");
}

/// Runs pilots of about a second at the smallest and the largest affordable batch size.
Pilots run_pilots(const std::vector<Case>& alike, Executor& executor, RowControl& control) {
  const auto [smallest, largest] =
      std::ranges::minmax_element(alike, {}, [](const Case& c) { return c.asked.batch_size; });
  Pilots pilots;
  const auto try_batch = [&](Case c, std::int64_t batch_size) {
    c.asked.batch_size = batch_size;
    const Pilot pilot = executor.run_pilot(c, kPilotSteps, control);
    if (pilot.status != RowStatus::kInterrupted) pilots.emplace(batch_size, pilot);
    return pilot;
  };
  const std::int64_t batch = smallest->asked.batch_size;
  const Pilot first = try_batch(*smallest, batch);
  if (first.status != RowStatus::kOk || batch == largest->asked.batch_size) return pilots;
  const double affordable = kMaxStep.value / std::max(first.step.value, 1e-9);
  const auto max_batch = static_cast<std::int64_t>(std::min(1e9, affordable * static_cast<double>(batch)));
  const std::int64_t other = std::min(largest->asked.batch_size, max_batch);
  if (other > batch && !control.must_abort()) try_batch(*largest, other);
  return pilots;
}

/// Estimates the time of a case's process: infinite if its pilot was aborted, zero if it failed. Assumes that
/// the step time is linear in the batch size.
Seconds estimate_duration(const Pilots& pilots, const Case& c, const CaseRecord& planned) {
  if (pilots.empty()) return Seconds{std::numeric_limits<double>::infinity()};
  const auto& [small_batch, small] = *pilots.begin();
  if (small.status != RowStatus::kOk) return Seconds{0};
  const auto& [large_batch, large] =
      pilots.rbegin()->second.status == RowStatus::kOk ? *pilots.rbegin() : *pilots.begin();
  const auto batch_size = static_cast<double>(c.asked.batch_size);
  const double step = on_line(static_cast<double>(small_batch), small.step.value,
                              static_cast<double>(large_batch), large.step.value, batch_size);
  // Time of the process without its steps, plus the extra time of the first step.
  const double first = std::max(0.0, (small.first_step - small.step).value);
  const Seconds start = small.process - small.duration + small.setup + Seconds{first};
  return start + forecast_at(step / batch_size, c, planned).training;
}

constexpr double kPreciseEnough = 0.01;  // Relative uncertainty below which a case is not repeated.
constexpr std::int64_t kMaxRepeats = 20;

class BudgetScheduler {
 public:
  BudgetScheduler(const std::vector<Work>& cases, const Budget& budget, const SweepServices& services,
                  const ReportBudget& report)
      : cases_(cases), services_(services), report_(report), budget_(budget) {}

  /// Alternates between pilots and their cases, since pilots of many models may take longer than the budget.
  bool run(const std::vector<std::size_t>& positions) {
    report_("budget: running a few steps of each model to estimate run times");
    std::vector<std::size_t> untried = positions;
    while (!untried.empty() && left().value > 0) {
      std::vector<std::size_t> tried = try_some(untried);
      if (services_.interrupts.count() > 0 || !run_fitting(std::move(tried), untried.size())) return false;
    }
    for (const std::size_t position : untried) skip(position);
    return repeat_uncertain();
  }

 private:
  Seconds left() const { return budget_.begin + budget_.time - services_.clock.now(); }

  /// Runs pilots in a part of the remaining time. Moves the positions of the tried cases out of `untried`.
  std::vector<std::size_t> try_some(std::vector<std::size_t>& untried) {
    const Seconds end = services_.clock.now() + Seconds{kTrialPart * left().value};
    TrialControl control(services_.interrupts, [&] { return services_.clock.now() > end; });
    std::map<std::string, std::vector<Case>> groups;
    for (const std::size_t position : untried)
      groups[pilot_key(to_case(position))].push_back(to_case(position));
    bool is_first = true;
    for (const auto& [key, alike] : groups) {
      if (control.must_abort()) break;
      Pilots pilots = run_pilots(alike, services_.executor, control);
      // An aborted pilot runs again in the next call, unless it was the first: it would be aborted again.
      if (is_first || !pilots.empty()) pilots_[key] = std::move(pilots);
      is_first = false;
    }
    const auto is_tried = [&](std::size_t position) {
      return pilots_.contains(pilot_key(to_case(position)));
    };
    const auto rest = std::stable_partition(untried.begin(), untried.end(), is_tried);
    std::vector<std::size_t> tried(untried.begin(), rest);
    untried.erase(untried.begin(), rest);
    return tried;
  }

  /// Selects the shortest cases of each round of repeats that fit, and runs them in the order of the plan.
  bool run_fitting(std::vector<std::size_t> tried, std::size_t untried) {
    std::vector<std::size_t> by_cost = tried;
    std::ranges::stable_sort(by_cost, {}, [&](std::size_t position) {
      return std::pair(to_case(position).asked.repeat, duration(position));
    });
    Seconds expected{0};
    std::set<std::size_t> chosen;
    for (const std::size_t position : by_cost) {
      const Seconds then = expected + duration(position);
      if (then <= left()) {
        expected = then;
        chosen.insert(position);
      } else {
        skip(position);
      }
    }
    report_(fmt::format("budget {}: {} of {} cases, about {}; {} left for {}", duration_text(budget_.time),
                        chosen.size(), tried.size(), duration_text(expected),
                        duration_text(left() - expected),
                        untried > 0 ? fmt::format("{} cases without an estimate", untried) : "repeats"));
    std::erase_if(tried, [&](std::size_t position) { return !chosen.contains(position); });
    for (std::size_t i = 0; i < tried.size(); ++i) {
      if (services_.interrupts.count() > 0) return false;
      if (left().value < kHopeless * duration(tried[i]).value)
        skip(tried[i]);  // The estimate was too low.
      else
        run_position(cases_[tried[i]], tried[i], i, tried.size(), budget_.begin + budget_.time, services_);
    }
    return true;
  }

  const Case& to_case(std::size_t position) const { return std::get<Case>(cases_[position]); }

  const CaseRecord& row(std::size_t position) const {
    return std::get<CaseRecord>(services_.recorder.rows()[position].planned);
  }

  Seconds duration(std::size_t position) const {
    return estimate_duration(pilots_.at(pilot_key(to_case(position))), to_case(position), row(position));
  }

  void skip(std::size_t position) {
    const std::string reason = fmt::format("no time left in the {} budget", duration_text(budget_.time));
    services_.recorder.finish(position, skipped(row(position), "budget", reason));
    services_.keep();
  }

  bool repeat_uncertain() {
    for (std::size_t done = 0; services_.interrupts.count() == 0; ++done) {
      const auto position = next_to_repeat();
      if (!position) return true;
      run_again(cases_[*position], *position, done, done + 1, services_);
    }
    return false;
  }

  /// Returns a case with fewer than kPlainRepeats repeats, else the one with the widest interval.
  std::optional<std::size_t> next_to_repeat() const {
    const RunRecord run = services_.recorder.document();
    using Urgency = std::pair<std::int64_t, double>;  // Missing repeats, then relative uncertainty.
    Urgency most{0, kPreciseEnough};
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      const CaseRecord& record = run.cases[i];
      const double took = record.process.has_value() ? record.process.value().value : 0;
      const bool fits_again = took > 0 && took * kSafety < left().value;
      if (record.status != RowStatus::kOk || record.repeat != 1 || !fits_again) continue;
      const std::int64_t done = count_repeats(services_.recorder, i);
      if (done >= kMaxRepeats) continue;
      const Urgency urgency{std::max<std::int64_t>(0, kPlainRepeats - done), uncertainty(run, record)};
      if (urgency <= most) continue;
      most = urgency;
      next = i;
    }
    return next;
  }

  /// Returns half the interval of the median over repeats, as a fraction of the median; 1 if unknown.
  static double uncertainty(const RunRecord& run, const CaseRecord& first) {
    const RowIdentity identity = make_identity(first);
    std::vector<double> medians;
    for (const CaseRecord& record : run.cases) {
      const Measured<Summary> epochs = epoch_summary(record);
      if (record.status == RowStatus::kOk && epochs.has_value() && make_identity(record) == identity)
        medians.push_back(epochs.value().median);
    }
    return halfwidth_between_runs(medians).value_or(1);
  }

  static constexpr double kTrialPart = 1.0 / 3;  // Fraction of the remaining time for pilots.
  static constexpr double kHopeless = 0.5;       // Skip a case with less than this fraction of its time left.
  static constexpr double kSafety = 1.1;

  const std::vector<Work>& cases_;
  const SweepServices& services_;
  const ReportBudget& report_;
  Budget budget_;
  std::map<std::string, Pilots> pilots_;  // By pilot_key().
};

}  // namespace

MaxBatch find_max_batch(const Case& c, std::int64_t samples, Executor& executor, RowControl& control,
                        const ReportTrial& report) {
  constexpr std::int64_t kResolution = 100;  // 1 %: the limit varies by more than that between two tries.
  MaxBatch found;
  std::map<std::int64_t, Bytes> peaks;  // By batch size.
  const auto fits = [&](std::int64_t size) {
    Case trial = c;
    trial.asked.batch_size = size;
    const Pilot pilot = executor.run_pilot(trial, Seconds{0}, control);  // Minimum of two steps.
    report(size, pilot);
    if (pilot.status != RowStatus::kOk) {
      found.failed_size = size;
      found.failure = to_string(pilot.status) + ": " + pilot.status_reason;
      return false;
    }
    found.batch_size = size;
    found.peak = pilot.peak_device.has_value() ? pilot.peak_device : pilot.peak_host;
    if (found.peak.has_value()) peaks.emplace(size, found.peak.value());
    return true;
  };
  for (std::int64_t size = std::min(c.asked.batch_size, samples); fits(size) && size < samples;)
    size = std::min(2 * size, samples);
  const auto gap = [&] { return found.failed_size - found.batch_size; };
  while (found.failed_size > 0 && gap() > std::max<std::int64_t>(1, found.batch_size / kResolution)) {
    if (control.must_abort()) break;
    fits(found.batch_size + gap() / 2);
  }
  found.bytes_per_sample = missing("fewer than two sizes fit");
  if (peaks.size() > 1) {
    const Bytes growth = peaks.rbegin()->second - peaks.begin()->second;
    found.bytes_per_sample = Bytes{growth.value / (peaks.rbegin()->first - peaks.begin()->first)};
    if (growth.value <= 0) found.bytes_per_sample = missing("memory did not grow with the batch size");
  }
  return found;
}

bool run_within_budget(const std::vector<Work>& cases, const std::vector<std::size_t>& positions,
                       const Budget& budget, const SweepServices& services, const ReportBudget& report) {
  return BudgetScheduler(cases, budget, services, report).run(positions);
}

Measured<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                            const Environment& environment) {
  if (c.asked.ranks > 1) return missing("exchanges between ranks are not estimated");
  // On CUDA, `auto` selects a graph unless batches come from host memory.
  const bool is_recorded =
      c.asked.mode.execution == Execution::kAuto
          ? c.asked.device.starts_with("cuda") && c.asked.mode.loader == Loader::kResident
          : c.asked.mode.execution == Execution::kGraph;
  if (is_recorded) planned.execution_used = to_string(Execution::kGraph);
  note_peak(planned, environment);
  const std::int64_t batch = std::max<std::int64_t>(1, std::min(c.asked.batch_size, planned.train_samples));
  return step_time_at_peak(costs.of_batch(batch), planned).then([&](Seconds step) {
    return forecast_at(step.value / static_cast<double>(batch), c, planned);
  });
}

}  // namespace gpubench
