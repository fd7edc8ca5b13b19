#include "workloads/selftest/check.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/timing/timing.h"
#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/model.h"
#include "workloads/cases/runner.h"

namespace gpubench {
namespace {

CheckRow make_row(const std::string& what, CheckStatus status, const std::string& message) {
  CheckRow row;
  row.subject = what;
  row.status = status;
  row.message = message;
  row.deviation = row.tolerance = missing("numbers were not compared");
  return row;
}

}  // namespace

CaseRecord Subject::run_case(const Case& c, const Dataset& dataset) {
  CaseMonitor monitor;
  return gpubench::run_case(c, dataset, device, clock, monitor);
}

at::Tensor Subject::product(const at::Tensor& a, const at::Tensor& b, bool allows_tf32) {
  const Tf32Setting setting(allows_tf32);
  return at::mm(a, b);
}

KnownWork Subject::make_work() {
  constexpr Seconds kUnit{0.01};
  constexpr SamplingPolicy kShort{Seconds{0.005}, Seconds{0.5}, 3};
  const std::int64_t size = place().is_cpu() ? 256 : 2048;
  const auto matrix = [&] { return at::randn({size, size}, at::TensorOptions(place())); };
  at::Tensor product = matrix();
  auto multiply = [a = matrix(), b = matrix(), product]() mutable { at::mm_out(product, a, b); };
  const Seconds call = best_call_time(device, clock, kShort, multiply);
  const auto calls = std::max<std::int64_t>(1, std::llround(kUnit.value / call.value));
  return {[=](std::int64_t units) mutable {
            for (std::int64_t i = 0; i < units * calls; ++i) multiply();
          },
          [=] { product[0][0].item<float>(); }};
}

std::shared_ptr<void> Subject::allocate(Bytes size) {
  const auto count = size.value / static_cast<std::int64_t>(sizeof(float));
  return std::make_shared<at::Tensor>(at::full({count}, 1.0, at::TensorOptions(place())));
}

DeviceRecord Subject::measure_trial_peak() {
  return measure_peak(device, clock, PeakEffort::kTrial, [](const PeakPoint&) {}).device;
}

CheckRow failed(const std::string& what, const std::string& message) {
  return make_row(what, CheckStatus::kFail, message);
}

CheckRow unchecked(const std::string& what, const std::string& why) {
  return make_row(what, CheckStatus::kUnchecked, why);
}

CheckRow decided(const std::string& what, bool is_true, const std::string& message) {
  return make_row(what, is_true ? CheckStatus::kPass : CheckStatus::kFail, message);
}

CheckRow compared(const std::string& what, double deviation, double tolerance, const std::string& message) {
  CheckRow made = decided(what, deviation <= tolerance, message);
  made.deviation = std::isfinite(deviation) ? Measured<double>(deviation) : missing("not a finite number");
  made.tolerance = tolerance;
  return made;
}

CheckRows run_check(const CheckEntry& check, Subject& subject) {
  const Seconds start = subject.clock.now();
  CheckRows rows;
  try {
    rows = check.run(subject);
  } catch (const std::exception& error) {
    rows = {failed("", "the check threw: " + classify(error).message)};
  }
  const Seconds duration = subject.clock.now() - start;
  for (CheckRow& row : rows) {
    row.device = subject.device.name();
    row.check = check.name;
    row.claim = check.claim;
    row.duration = duration;
  }
  return rows;
}

CaseRecord train(Subject& subject, const SmallTraining& training) {
  const ModelEntry& model = subject.models.require(training.model, "selftest");
  DatasetEntry dataset{};  // Only its name appears in the record.
  dataset.name = "selftest";
  dataset.spec = model.spec;
  Case c;
  c.model = &model;
  c.sizes = all_sizes(model, {});
  c.dataset = &dataset;
  c.asked.dataset = "synthetic";
  c.asked.device = subject.device.name();
  c.asked.batch_size = training.batch_size;
  c.asked.mode = training.mode;
  c.asked.warmup_epochs = 1;
  c.asked.min_epochs = c.asked.epochs = training.epochs;
  c.asked.seed = training.seed;
  return subject.run_case(c, subject.means.make_data(model.spec, {training.samples, 0, 0}));
}

std::vector<double> list_losses(const CaseRecord& record) {
  if (record.status == RowStatus::kOk) return record.training.front().second;
  const TrainingMode& mode = record.mode;
  throw Error(ErrorKind::kDevice, "{} {} {} {} {} ended as {}: {}", record.model, to_string(mode.precision),
              to_string(mode.execution), to_string(mode.layout), to_string(mode.loader),
              to_string(record.status), record.status_reason);
}

double largest_difference(const std::vector<double>& found, const std::vector<double>& expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = relative_difference(found[i], expected[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

CheckRow compared_losses(Subject& subject, const std::string& what, const SmallTraining& training,
                         const std::vector<double>& expected, double tolerance) {
  const CaseRecord record = train(subject, training);
  if (record.status == RowStatus::kUnsupported) return unchecked(what, record.status_reason);
  const double difference = largest_difference(list_losses(record), expected);
  return compared(what, difference, tolerance,
                  fmt::format("losses differ by at most {}", percent_text(difference)));
}

}  // namespace gpubench
