#include <ATen/core/Tensor.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/ones.h>

#include "engine/peak/peak_probe.h"

namespace gpubench {
namespace {

/// In a row, so that the wait at the end of a window does not count.
constexpr std::int64_t kOperations = 1000;

double per_operation(Seconds time) { return time.value / static_cast<double>(kOperations); }

}  // namespace

void measure_latency(PeakProbe& probe) {
  const c10::Device place(probe.device().name());
  const auto tiny_tensor = [&] { return at::ones({1}, at::TensorOptions(place)); };
  const auto work_on = [](at::Tensor& tensor, std::int64_t operations) {
    for (std::int64_t i = 0; i < operations; ++i) at::neg_(tensor);
  };
  probe.add(PeakKind::kLaunch, "", kOperations, [&] {
    at::Tensor tensor = tiny_tensor();
    return per_operation(probe.time([&] { work_on(tensor, kOperations); }));
  });
  const std::string why_no_graph = probe.device().why_no_graph();
  if (!why_no_graph.empty()) return probe.add_absent(PeakKind::kGraphNode, "", why_no_graph);
  probe.add(PeakKind::kGraphNode, "", kOperations, [&] {
    at::Tensor tensor = tiny_tensor();
    const auto recorded =
        probe.device().record_graph([&] { work_on(tensor, 1); }, [&] { work_on(tensor, kOperations); });
    return per_operation(probe.time([&] { recorded->replay(); }));
  });
}

}  // namespace gpubench
