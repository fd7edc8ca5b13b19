#include <algorithm>

#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/check.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// A step that takes so many times as long as arithmetic, memory and launches together is suspicious.
constexpr double kMostTimes = 10;

/// What a step needs at least, each part of it by itself.
Measured<double> least_step(const CaseRecord& record) {
  const auto part = [](const auto& need, const auto& rate) {
    return need.then([&](auto n) { return rate.then([&](auto r) { return n / r; }); });
  };
  const Measured<double> flop = record.train_flop_per_sample.then(
      [&](double each) { return each * static_cast<double>(record.batch_size); });
  const Measured<double> bytes =
      record.traffic_per_step.then([](Bytes each) { return static_cast<double>(each.value); });
  const Measured<double> arithmetic = part(flop, record.peak_flops_per_second);
  const Measured<double> memory = part(bytes, record.peak_bytes_per_second);
  const Measured<double> launches = record.operations_per_step.then([&](double count) {
    return record.operation_latency.then([&](Seconds each) { return count * each.value; });
  });
  return arithmetic.then([&](double a) {
    return memory.then([&](double m) { return launches.then([&](double l) { return a + m + l; }); });
  });
}

CheckRow judged(const std::string& what, CaseRecord record, const Environment& environment) {
  if (record.status == RowStatus::kUnsupported) return unchecked(what, record.status_reason);
  list_losses(record);  // Throws where it did not end well.
  note_roof(record, environment);
  const std::string impossible = implausible_rate(record, environment);
  if (!impossible.empty()) return failed(what, "impossible: " + impossible);
  const Measured<double> least = least_step(record);
  if (!least.has_value()) return unchecked(what, least.reason());
  const double step = *std::ranges::min_element(record.epoch_seconds) /
                      static_cast<double>(std::max<std::int64_t>(1, record.steps_per_epoch));
  const double times = step / least.value();
  return compared(what, times, kMostTimes,
                  fmt::format("{}a step takes {}, {:.1f} times what peak and launches allow",
                              times > kMostTimes ? "suspicious: " : "", prefixed_text(step, "s"), times));
}

CheckRows run(Subject& subject) {
  Environment environment;
  environment.devices = {subject.measure_roof()};
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
  return {"throughput", "steps take about as long as the device's peak and launches allow", run};
}

}  // namespace gpubench
