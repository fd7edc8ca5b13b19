#include "engine/sweep/pilots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace gpubench {
namespace {

constexpr Seconds kPilotSteps{1};
constexpr Seconds kDearestStep{4};         // A pilot makes two steps at least.
constexpr double kForwardShare = 1.0 / 3;  // Of a training step.

/// At `x` of the straight line through one or two points, which neither falls nor starts below zero.
double on_line(double x1, double y1, double x2, double y2, double x) {
  const double slope = x2 > x1 ? std::max(0.0, (y2 - y1) / (x2 - x1)) : y1 / x1;
  const double start = y2 - slope * x2;
  return start >= 0 ? start + slope * x : y2 / x2 * x;
}

/// What a process takes beside its steps, and what the first of these takes beyond the others.
Seconds find_start(const PilotResult& result) {
  const Pilot& pilot = result.pilot;
  const double first = std::max(0.0, (pilot.first_step - pilot.step).value);
  return result.process - pilot.duration + pilot.setup + Seconds{first};
}

bool is_cut(const PilotResult& result) { return result.pilot.status == RowStatus::kInterrupted; }

std::int64_t evaluated_samples(const CaseRecord& planned, std::int64_t epochs) {
  if (planned.protocol == Protocol::kEpoch) {
    return planned.test_samples > 0 ? planned.test_samples : planned.validation_samples;
  }
  const std::int64_t once = planned.validation_samples + planned.test_samples;
  const std::int64_t validation =
      planned.validation_samples > 0 ? planned.validation_samples : planned.test_samples;
  return once + epochs * validation;
}

constexpr std::int64_t kResolution = 100;  // Parts of the size; what fits varies by more between two tries.

class Search {
 public:
  Search(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
         const TellTrial& tell)
      : c_(c), samples_(samples), executor_(executor), control_(control), tell_(tell) {}

  MaxBatch run() {
    for (std::int64_t size = std::min(c_.batch_size, samples_); fits(size) && size < samples_;) {
      size = std::min(2 * size, samples_);
    }
    while (found_.failed_size > 0 && gap() > std::max<std::int64_t>(1, found_.batch_size / kResolution)) {
      if (control_.must_abort()) break;
      fits(found_.batch_size + gap() / 2);
    }
    found_.bytes_per_sample = slope();
    return found_;
  }

 private:
  std::int64_t gap() const { return found_.failed_size - found_.batch_size; }

  bool fits(std::int64_t size) {
    Case trial = c_;
    trial.batch_size = size;
    // The least that a pilot does: two steps.
    const PilotResult result = executor_.run_pilot(trial, Seconds{0}, control_);
    tell_(size, result);
    if (result.pilot.status != RowStatus::kOk) {
      found_.failed_size = size;
      found_.failure = to_string(result.pilot.status) + ": " + result.pilot.status_reason;
      return false;
    }
    found_.batch_size = size;
    const Measured<Bytes>& device = result.pilot.peak_device;
    found_.peak = device.has_value() ? device : result.peak_host;
    if (found_.peak.has_value()) last_ = {size, found_.peak.value()};
    if (!first_) first_ = last_;
    return true;
  }

  Measured<Bytes> slope() const {
    if (!first_ || last_->size == first_->size) return missing("fewer than two sizes fitted");
    return Bytes{(last_->peak - first_->peak).value / (last_->size - first_->size)};
  }

  struct Point {
    std::int64_t size;
    Bytes peak;
  };

  const Case& c_;
  std::int64_t samples_;
  CaseExecutor& executor_;
  RowControl& control_;
  const TellTrial& tell_;
  MaxBatch found_;
  std::optional<Point> first_;
  std::optional<Point> last_;
};

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
    // One that has had all the time there is would be cut off again.
    if (is_first || !points.empty()) points_[key] = std::move(points);
    is_first = false;
  }
}

/// Tries the smallest batch, and the largest one or, where a step of it would take too long, as large a one
/// as does not.
std::vector<Estimator::Point> Estimator::measured_ends(const std::vector<Case>& alike, RowControl& control) {
  const auto [smallest, largest] = std::ranges::minmax_element(alike, {}, &Case::batch_size);
  std::vector<Point> points;
  const auto try_batch = [&](Case c, std::int64_t batch_size) {
    c.batch_size = batch_size;
    const PilotResult result = executor_.run_pilot(c, kPilotSteps, control);
    if (!is_cut(result)) points.push_back({batch_size, result});
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
  return kForwardShare * static_cast<double>(evaluated_samples(planned, epochs));
}

MaxBatch find_max_batch(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
                        const TellTrial& tell) {
  return Search(c, samples, executor, control, tell).run();
}

}  // namespace gpubench
