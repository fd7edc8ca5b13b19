// The catalog of workloads with the functions that make their steps.

#include "gpubench/record/workload.h"
#include "workloads/steps/steps.h"

namespace gpubench {

#define GPUBENCH_WORKLOAD(name, ...)                                                                    \
  std::unique_ptr<Steps> make_##name##_steps(Model& model, const TrainPoint& asked, c10::Device device, \
                                             GradientExchange* exchange);
#include "record/workloads.def"
#undef GPUBENCH_WORKLOAD

std::unique_ptr<Steps> make_steps(Model& model, const TrainPoint& asked, c10::Device device,
                                  GradientExchange* exchange) {
  const std::string& workload = workload_for(asked.protocol).name;
#define GPUBENCH_WORKLOAD(name, ...) \
  if (workload == #name) return make_##name##_steps(model, asked, device, exchange);
#include "record/workloads.def"
#undef GPUBENCH_WORKLOAD
  throw std::logic_error("workload " + workload + " has no steps");
}

}  // namespace gpubench
