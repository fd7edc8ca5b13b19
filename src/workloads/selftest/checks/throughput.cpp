#include <algorithm>

#include <fmt/format.h>

#include "engine/validation/plausibility.h"
#include "gpubench/core/text/figures.h"
#include "workloads/selftest/check.h"

namespace gpubench::throughput_plugin {
namespace {

/// Suspicious ratio of a step time to the minimum time of its arithmetic, memory traffic and launches.
constexpr double kMostTimes = 10;

CheckRow judged(const std::string& what, CaseRecord record, const Environment& environment) {
  if (record.status == RowStatus::kUnsupported) return unchecked(what, record.status_reason);
  list_losses(record);  // Throws if the training failed.
  note_peak(record, environment);
  const std::string impossible = implausible_rate(record, environment);
  if (!impossible.empty()) return failed(what, "impossible: " + impossible);
  const StepCost cost{record.train_flop_per_sample.value() * static_cast<double>(record.batch_size),
                      record.operations_per_step.value(),
                      static_cast<double>(record.traffic_per_step.value().value)};
  const Measured<Seconds> least = step_time_at_peak(cost, record);
  if (!least.has_value()) return unchecked(what, least.reason());
  const double step = *std::ranges::min_element(record.epoch_seconds) /
                      static_cast<double>(std::max<std::int64_t>(1, record.steps_per_epoch));
  const double times = step / least.value().value;
  return compared(what, times, kMostTimes,
                  fmt::format("{}{} per step, {:.1f} times the theoretical minimum",
                              times > kMostTimes ? "suspicious: " : "", prefixed_text(step, "s"), times));
}

CheckRows run(Subject& subject) {
  Environment environment;
  environment.devices = {subject.measure_trial_peak()};
  CheckRows rows;
  const std::string why_no_graph = subject.device.why_no_graph();
  if (!why_no_graph.empty()) rows.push_back(unchecked("graph", why_no_graph));
  for (const char* model : {"mlp", "cnn"}) {
    for (const Execution execution : {Execution::kEager, Execution::kGraph}) {
      for (const Precision precision : {Precision::kFp32, Precision::kBf16}) {
        if (execution == Execution::kGraph && !why_no_graph.empty()) continue;
        SmallTraining training{.model = model, .samples = 2048, .batch_size = 128};
        training.mode.execution = execution;
        training.mode.precision = precision;
        rows.push_back(judged(fmt::format("{} {} {}", model, to_string(execution), to_string(precision)),
                              train(subject, training), environment));
      }
    }
  }
  return rows;
}

}  // namespace

CheckEntry entry_throughput() {
  return {{"throughput", "step times are plausible for the device's peak and launch latency"}, run};
}

}  // namespace gpubench::throughput_plugin
