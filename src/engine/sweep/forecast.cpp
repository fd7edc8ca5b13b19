#include "engine/sweep/forecast.h"

#include <algorithm>

#include "engine/judge/roof.h"
#include "engine/sweep/pilots.h"

namespace gpubench {
namespace {

/// Graphs are what `auto` becomes on CUDA, unless batches come from host memory.
bool is_recorded(const TrainingMode& mode, const std::string& device) {
  if (mode.execution != Execution::kAuto) return mode.execution == Execution::kGraph;
  return device.starts_with("cuda") && mode.loader == Loader::kResident;
}

Reading<Seconds> step_time(const StepCost& cost, const CaseRecord& roof) {
  if (!roof.peak_flops_per_second.has_value()) return absent(roof.peak_flops_per_second.reason());
  if (!roof.peak_bytes_per_second.has_value()) return absent(roof.peak_bytes_per_second.reason());
  if (!roof.operation_latency.has_value()) return absent(roof.operation_latency.reason());
  return Seconds{cost.flop / roof.peak_flops_per_second.value() +
                 cost.bytes / roof.peak_bytes_per_second.value() +
                 cost.operations * roof.operation_latency.value().value};
}

}  // namespace

Reading<Forecast> forecast(const Case& c, CaseRecord planned, const StepCosts& costs,
                           const Environment& environment) {
  if (c.ranks > 1) return absent("what exchanges between ranks take is unknown");
  if (is_recorded(c.mode, c.device)) planned.execution_used = to_string(Execution::kGraph);
  note_roof(planned, environment);
  const std::int64_t batch = std::max<std::int64_t>(1, std::min(c.batch_size, planned.train_samples));
  return step_time(costs.of_batch(batch), planned).then([&](Seconds step) {
    const double sample = step.value / static_cast<double>(batch);
    const double epoch = sample * static_cast<double>(planned.train_samples);
    const std::int64_t epochs = expected_epochs(c.stopping, Seconds{epoch});
    return Forecast{epochs,
                    Seconds{static_cast<double>(epochs) * epoch + sample * evaluation_load(planned, epochs)}};
  });
}

}  // namespace gpubench
