#include "engine/sweep/pilots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace gpubench {
namespace {

constexpr Seconds kPilotSteps{1};
constexpr Seconds kDearestStep{4};         // A pilot makes two steps at least.
constexpr double kForwardShare = 1.0 / 3;  // Of a training step.

/// Returns the value at `x` of the line through one or two points that neither falls nor starts below zero.
double on_line(double x1, double y1, double x2, double y2, double x) {
  const double slope = x2 > x1 ? std::max(0.0, (y2 - y1) / (x2 - x1)) : y1 / x1;
  const double start = y2 - slope * x2;
  return start >= 0 ? start + slope * x : y2 / x2 * x;
}

/// Returns the time of a process without its steps, but with the excess of the first step.
Seconds find_start(const PilotResult& result) {
  const Pilot& pilot = result.pilot;
  const double first = std::max(0.0, (pilot.first_step - pilot.step).value);
  return result.process - pilot.duration + pilot.setup + Seconds{first};
}

}  // namespace

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

Estimator::Key Estimator::make_key(const Case& c) {
  return {model_text(c),    c.dataset->name, c.device,     c.mode.execution,
          c.mode.precision, c.mode.layout,   c.mode.loader};
}

void Estimator::measure(const std::vector<Case>& cases, RowControl& control) {
  std::map<Key, std::vector<Case>> groups;
  for (const Case& c : cases) {
    if (!is_tried(c)) groups[make_key(c)].push_back(c);
  }
  bool is_first = true;
  for (const auto& [key, alike] : groups) {
    if (control.must_abort()) return;
    std::vector<Point> points = measured_ends(alike, control);
    // A trial that was the first of this call would be cut off again.
    if (is_first || !points.empty()) points_[key] = std::move(points);
    is_first = false;
  }
}

/// Tries the smallest batch, and the largest one whose step does not take too long.
std::vector<Estimator::Point> Estimator::measured_ends(const std::vector<Case>& alike, RowControl& control) {
  const auto [smallest, largest] = std::ranges::minmax_element(alike, {}, &Case::batch_size);
  std::vector<Point> points;
  const auto try_batch = [&](Case c, std::int64_t batch_size) {
    c.batch_size = batch_size;
    const PilotResult result = executor_.run_pilot(c, kPilotSteps, control);
    if (result.pilot.status != RowStatus::kInterrupted) points.push_back({batch_size, result});
    return result.pilot;
  };
  const Pilot first = try_batch(*smallest, smallest->batch_size);
  if (first.status != RowStatus::kOk || smallest->batch_size == largest->batch_size) return points;

  const double affordable = kDearestStep.value / std::max(first.step.value, 1e-9);
  const auto dearest =
      static_cast<std::int64_t>(std::min(1e9, affordable * static_cast<double>(smallest->batch_size)));
  const std::int64_t other = std::min(largest->batch_size, dearest);
  if (other > smallest->batch_size && !control.must_abort()) try_batch(*largest, other);
  return points;
}

Measured<Seconds> Estimator::duration(const Case& c, const CaseRecord& planned) const {
  const auto found = points_.find(make_key(c));
  if (found == points_.end()) return missing("not tried");
  if (found->second.empty()) return Seconds{std::numeric_limits<double>::infinity()};
  const Point& small = found->second.front();
  const Pilot& pilot = small.result.pilot;
  if (pilot.status != RowStatus::kOk)
    return missing("a trial ended as " + to_string(pilot.status) + ": " + pilot.status_reason);
  const bool has_two = found->second.back().result.pilot.status == RowStatus::kOk;
  const Point& large = has_two ? found->second.back() : small;

  const auto batch_size = static_cast<double>(c.batch_size);
  const double sample =
      on_line(static_cast<double>(small.batch_size), pilot.step.value, static_cast<double>(large.batch_size),
              large.result.pilot.step.value, batch_size) /
      batch_size;
  const std::int64_t epochs =
      expected_epochs(c.stopping, Seconds{sample * static_cast<double>(planned.train_samples)});
  const auto trained = static_cast<double>(epochs * planned.train_samples);
  return find_start(small.result) + Seconds{sample * (trained + evaluation_load(planned, epochs))};
}

double evaluation_load(const CaseRecord& planned, std::int64_t epochs) {
  const std::int64_t validation = planned.validation_samples;
  const std::int64_t test = planned.test_samples;
  const std::int64_t samples = planned.protocol == Protocol::kEpoch
                                   ? (test > 0 ? test : validation)
                                   : validation + test + epochs * (validation > 0 ? validation : test);
  return kForwardShare * static_cast<double>(samples);
}

MaxBatch find_max_batch(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
                        const TellTrial& tell) {
  constexpr std::int64_t kResolution = 100;  // Parts of the size; what fits varies by more between two tries.
  struct Point {
    std::int64_t size;
    Bytes peak;
  };
  MaxBatch found;
  std::vector<Point> points;
  const auto fits = [&](std::int64_t size) {
    Case trial = c;
    trial.batch_size = size;
    const PilotResult result = executor.run_pilot(trial, Seconds{0}, control);  // Two steps, the minimum.
    tell(size, result);
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
  for (std::int64_t size = std::min(c.batch_size, samples); fits(size) && size < samples;)
    size = std::min(2 * size, samples);
  const auto gap = [&] { return found.failed_size - found.batch_size; };
  while (found.failed_size > 0 && gap() > std::max<std::int64_t>(1, found.batch_size / kResolution)) {
    if (control.must_abort()) break;
    fits(found.batch_size + gap() / 2);
  }
  found.bytes_per_sample = missing("fewer than two sizes fitted");
  if (!points.empty() && points.back().size != points.front().size) {
    found.bytes_per_sample =
        Bytes{(points.back().peak - points.front().peak).value / (points.back().size - points.front().size)};
  }
  return found;
}

}  // namespace gpubench
