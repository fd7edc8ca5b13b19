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
#include "gpubench/core/nearest.h"
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

/// Returns the fixed number of epochs or, for a target, the number that takes kLeastSteady, within the rule.
std::int64_t expected_epochs(const StoppingRule& rule, Seconds epoch) {
  const auto epochs_in = [&](Seconds time) {
    const double steady = std::ceil(time.value / std::max(epoch.value, 1e-6));
    const double wanted = static_cast<double>(rule.warmup_epochs) + steady;
    return std::int64_t{std::llround(std::min(wanted, static_cast<double>(kMostEpochs)))};
  };
  const std::int64_t usual = rule.target_rel_ci95
                                 ? std::clamp(epochs_in(kLeastSteady), rule.min_epochs, rule.max_epochs)
                                 : rule.max_epochs;
  return rule.min_timed.value > 0 ? std::max(usual, epochs_in(rule.min_timed)) : usual;
}

double evaluation_load(const CaseRecord& planned, std::int64_t epochs) {
  const std::int64_t validation = planned.validation_samples;
  const std::int64_t test = planned.test_samples;
  const std::int64_t samples = planned.protocol != "fit"
                                   ? (test > 0 ? test : validation)
                                   : validation + test + epochs * (validation > 0 ? validation : test);
  return kForwardShare * static_cast<double>(samples);
}

/// Estimates run times from pilots at two batch sizes per model, mode and device. Assumes that the step time
/// is linear in the batch size.
class Estimator {
 public:
  explicit Estimator(Executor& executor) : executor_(executor) {}

  /// Runs pilots of about a second each. Returns early if `control` aborts; the next call continues.
  void measure(const std::vector<Case>& cases, RowControl& control) {
    std::map<std::string, std::vector<Case>> groups;
    for (const Case& c : cases) {
      if (!is_tried(c)) groups[make_key(c)].push_back(c);
    }
    bool is_first = true;
    for (const auto& [key, alike] : groups) {
      if (control.must_abort()) return;
      std::vector<Point> points = measured_ends(alike, control);
      // An aborted pilot runs again in the next call, unless it was the first: it would be aborted again.
      if (is_first || !points.empty()) points_[key] = std::move(points);
      is_first = false;
    }
  }

  bool is_tried(const Case& c) const { return points_.contains(make_key(c)); }

  /// Returns the estimated time of a case's process: infinite if its pilot was aborted, zero if it failed.
  Seconds duration(const Case& c, const CaseRecord& planned) const {
    const std::vector<Point>& points = points_.at(make_key(c));
    if (points.empty()) return Seconds{std::numeric_limits<double>::infinity()};
    const Point& small = points.front();
    const Pilot& pilot = small.result.pilot;
    if (pilot.status != RowStatus::kOk) return Seconds{0};
    const Point& large = points.back().result.pilot.status == RowStatus::kOk ? points.back() : small;
    const auto batch_size = static_cast<double>(c.asked.batch_size);
    const double sample =
        on_line(static_cast<double>(small.batch_size), pilot.step.value,
                static_cast<double>(large.batch_size), large.result.pilot.step.value, batch_size) /
        batch_size;
    const std::int64_t epochs =
        expected_epochs(c.stopping(), Seconds{sample * static_cast<double>(planned.train_samples)});
    const auto trained = static_cast<double>(epochs * planned.train_samples);
    // Time of the process without its steps, plus the extra time of the first step.
    const double first = std::max(0.0, (pilot.first_step - pilot.step).value);
    const Seconds start = small.result.process - pilot.duration + pilot.setup + Seconds{first};
    return start + Seconds{sample * (trained + evaluation_load(planned, epochs))};
  }

 private:
  struct Point {
    std::int64_t batch_size;
    PilotResult result;
  };

  static std::string make_key(const Case& c) {
    return join(std::vector{model_text(c), c.dataset->name, c.asked.device, c.asked.protocol,
                            mode_text(c.asked.mode)},
                "; ");
  }

  std::vector<Point> measured_ends(const std::vector<Case>& alike, RowControl& control) {
    const auto [smallest, largest] =
        std::ranges::minmax_element(alike, {}, [](const Case& c) { return c.asked.batch_size; });
    std::vector<Point> points;
    const auto try_batch = [&](Case c, std::int64_t batch_size) {
      c.asked.batch_size = batch_size;
      const PilotResult result = executor_.run_pilot(c, kPilotSteps, control);
      if (result.pilot.status != RowStatus::kInterrupted) points.push_back({batch_size, result});
      return result.pilot;
    };
    const Pilot first = try_batch(*smallest, smallest->asked.batch_size);
    if (first.status != RowStatus::kOk || smallest->asked.batch_size == largest->asked.batch_size)
      return points;

    const double affordable = kMaxStep.value / std::max(first.step.value, 1e-9);
    const auto max_batch = static_cast<std::int64_t>(
        std::min(1e9, affordable * static_cast<double>(smallest->asked.batch_size)));
    const std::int64_t other = std::min(largest->asked.batch_size, max_batch);
    if (other > smallest->asked.batch_size && !control.must_abort()) try_batch(*largest, other);
    return points;
  }

  Executor& executor_;
  std::map<std::string, std::vector<Point>> points_;  // One or two per key; none for an aborted pilot.
};

constexpr double kPreciseEnough = 0.01;  // Relative uncertainty below which a case is not repeated.
constexpr std::int64_t kMinRepeats = 3;  // Minimum for an interval between processes.
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
      const std::vector<std::size_t> tried = try_some(untried);
      if (services_.interrupts.count() > 0 || !run_fitting(tried, untried.size())) return false;
    }
    for (const std::size_t position : untried) skip(position);
    return repeat_uncertain();
  }

 private:
  Seconds left() const { return budget_.begin + budget_.time - services_.clock.now(); }

  std::vector<std::size_t> try_some(std::vector<std::size_t>& untried) {
    const Seconds end = services_.clock.now() + Seconds{kTrialPart * left().value};
    TrialControl control(services_.interrupts, [&] { return services_.clock.now() > end; });
    estimator_.measure(mapped(untried, [&](std::size_t position) { return to_case(position); }), control);
    const auto is_tried = [&](std::size_t position) { return estimator_.is_tried(to_case(position)); };
    std::vector<std::size_t> tried;
    std::ranges::copy_if(untried, std::back_inserter(tried), is_tried);
    std::erase_if(untried, is_tried);
    return tried;
  }

  /// Selects the shortest cases of each round of repeats that fit, and runs them in the order of the plan.
  bool run_fitting(const std::vector<std::size_t>& tried, std::size_t untried) {
    std::vector<std::size_t> by_cost = tried;
    std::ranges::stable_sort(by_cost, {}, [&](std::size_t position) {
      return std::pair(to_case(position).asked.repeat, duration(position));
    });
    Seconds expected{0};
    std::set<std::size_t> chosen;
    for (const std::size_t position : by_cost) {
      const Seconds then = expected + duration(position);
      if (then > left()) continue;
      expected = then;
      chosen.insert(position);
    }
    report_(fmt::format("budget {}: {} of {} cases, about {}; {} left for {}", duration_text(budget_.time),
                        chosen.size(), tried.size(), duration_text(expected),
                        duration_text(left() - expected),
                        untried > 0 ? fmt::format("{} cases without an estimate", untried) : "repeats"));
    for (const std::size_t position : tried) {
      if (!chosen.contains(position)) skip(position);
    }
    std::size_t index = 0;
    for (const std::size_t position : tried) {
      if (!chosen.contains(position)) continue;
      if (services_.interrupts.count() > 0) return false;
      if (left().value < kHopeless * duration(position).value)
        skip(position);  // The estimate was too low.
      else
        run_position(cases_[position], position, index, chosen.size(), budget_.begin + budget_.time,
                     services_);
      ++index;
    }
    return true;
  }

  const Case& to_case(std::size_t position) const { return std::get<Case>(cases_[position]); }

  const CaseRecord& row(std::size_t position) const {
    return std::get<CaseRecord>(services_.recorder.rows()[position].planned);
  }

  Seconds duration(std::size_t position) const {
    return estimator_.duration(to_case(position), row(position));
  }

  void skip(std::size_t position) {
    const std::string reason = fmt::format("no time left in the {} budget", duration_text(budget_.time));
    services_.recorder.finish(position, skipped(row(position), "budget", reason));
    services_.keep();
  }

  bool repeat_uncertain() {
    while (services_.interrupts.count() == 0) {
      const auto position = next_to_repeat();
      if (!position) return true;
      ++repetitions_;
      run_again(cases_[*position], *position, repetitions_ - 1, repetitions_, services_);
    }
    return false;
  }

  /// Returns a case with fewer than kMinRepeats repeats, else the one with the widest interval.
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
      const Urgency urgency{std::max<std::int64_t>(0, kMinRepeats - done), uncertainty(run, record)};
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
    if (std::ssize(medians) < kMinRepeats) return 1;
    const Measured<double> known = halfwidth_between_runs(medians);
    return known.has_value() ? known.value() : 1;
  }

  static constexpr double kTrialPart = 1.0 / 3;  // Fraction of the remaining time for pilots.
  static constexpr double kHopeless = 0.5;       // Skip a case with less than this fraction of its time left.
  static constexpr double kSafety = 1.1;

  const std::vector<Work>& cases_;
  const SweepServices& services_;
  const ReportBudget& report_;
  Budget budget_;
  Estimator estimator_{services_.executor};
  std::size_t repetitions_ = 0;
};

}  // namespace

MaxBatch find_max_batch(const Case& c, std::int64_t samples, Executor& executor, RowControl& control,
                        const ReportTrial& report) {
  constexpr std::int64_t kResolution = 100;  // 1 %: the limit varies by more than that between two tries.
  struct Point {
    std::int64_t size;
    Bytes peak;
  };
  MaxBatch found;
  std::vector<Point> points;
  const auto fits = [&](std::int64_t size) {
    Case trial = c;
    trial.asked.batch_size = size;
    const PilotResult result = executor.run_pilot(trial, Seconds{0}, control);  // Minimum of two steps.
    report(size, result);
    if (result.pilot.status != RowStatus::kOk) {
      found.failed_size = size;
      found.failure = to_string(result.pilot.status) + ": " + result.pilot.status_reason;
      return false;
    }
    found.batch_size = size;
    const Measured<Bytes>& device = result.pilot.peak_device;
    found.peak = device.has_value() ? device : result.peak_host;
    if (found.peak.has_value()) points.push_back({size, found.peak.value()});
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
  if (!points.empty() && points.back().size != points.front().size) {
    const Bytes growth = points.back().peak - points.front().peak;
    found.bytes_per_sample = Bytes{growth.value / (points.back().size - points.front().size)};
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
    const double sample = step.value / static_cast<double>(batch);
    const double epoch = sample * static_cast<double>(planned.train_samples);
    const std::int64_t epochs = expected_epochs(c.stopping(), Seconds{epoch});
    return Forecast{epochs,
                    Seconds{static_cast<double>(epochs) * epoch + sample * evaluation_load(planned, epochs)}};
  });
}

}  // namespace gpubench
