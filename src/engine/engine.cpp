#include "engine/api/engine.h"
#include "device/host/host.h"
#include "engine/torch/host_allocator.h"
#include "gpubench/op.h"
#include "workloads/cases/runner.h"
#include "workloads/op/op_run.h"
#include "workloads/selftest/check.h"

namespace gpubench {
namespace {

Engine torch_engine(const CoreLimits& limits) {
  const auto asked = std::make_shared<int>(0);  // Threads of the last `configure` call.
  const auto op_named = [](const std::string& name) -> const OpEntry& { return ops().require(name, "--op"); };
  return {
      .models = models,
      .device_kinds = device_kinds,
      .usable_devices = usable_devices,
      .resolve_device = resolve_device,
      .open_device = open_device,
      .read_environment =
          [limits, asked] {
            Environment environment = read_environment(limits);
            if (*asked > 0 && environment.threads >= *asked) environment.threads_note.clear();
            return environment;
          },
      .model_cost = [](const std::string& model) { return model_cost(models().require(model, "--model")); },
      .step_costs = step_costs,
      .estimate_memory = estimate_memory,
      .configure =
          [limits, asked](int threads) {
            limit_openblas_threads();
            *asked = threads;
            return set_threads(threads, limits);
          },
      .known_modes = known_modes,
      .try_modes = try_modes,
      .run_case = run_case,
      .run_pilot = run_pilot,
      .measure_peak = measure_peak,
      .check_operation = [op_named](const std::string& name,
                                    const OpCase& sizes) { check_sizes(op_named(name), sizes); },
      .run_operation = [op_named](
                           const OpPoint& point, Device& device,
                           const Clock& clock) { return run_op(op_named(point.op), point, device, clock); },
      .join_network = join_network,
      .checks = [] { return std::vector<CheckInfo>(checks().begin(), checks().end()); },
      .run_check =
          [](const std::string& name, Device& device, const Clock& clock, const SelftestMeans& means) {
            Subject subject(device, clock, means);
            return run_check(checks().require(name, "--only"), subject);
          }};
}

}  // namespace
}  // namespace gpubench

extern "C" const gpubench::Engine* gpubench_engine(const gpubench::CoreLimits& limits) {
  if (gpubench::allocator_name() == "tuned") gpubench::allocate_tensors_with_malloc();
  static const gpubench::Engine engine = gpubench::torch_engine(limits);
  return &engine;
}
