// Estimates of a case before it runs: the cost of a step and the peak memory, on the meta device.

#include <algorithm>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>
#include <c10/util/accumulate.h>
#include <torch/nn/modules/rnn.h>

#include "engine/torch/failure.h"
#include "engine/torch/meta_device.h"
#include "workloads/cases/runner.h"
#include "workloads/cases/session.h"
#include "workloads/cost/cost.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench {
namespace {

/// Counts the bytes of this thread's tensors, which LibTorch's allocators report.
struct TensorBytes : c10::MemoryReportingInfoBase {
  void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device) override {
    live.value += size;
    peak = std::max(peak, live);
  }
  bool memoryProfilingEnabled() const override { return true; }

  Bytes live;
  Bytes peak;
};

/// Makes meta tensors report the bytes that they would need on another device, during its lifetime.
class MetaAllocator : public c10::Allocator {
 public:
  MetaAllocator() : usual_(c10::GetAllocator(at::kMeta)) { c10::SetAllocator(at::kMeta, this); }
  ~MetaAllocator() override { c10::SetAllocator(at::kMeta, usual_); }
  MetaAllocator(const MetaAllocator&) = delete;
  MetaAllocator& operator=(const MetaAllocator&) = delete;

  c10::DataPtr allocate(std::size_t size) override {
    report(static_cast<std::int64_t>(size));
    const auto free = [](void* context) {
      report(-static_cast<std::int64_t>(reinterpret_cast<std::size_t>(context)));
    };
    // The size is the context of the tensor's null pointer.
    return {nullptr, reinterpret_cast<void*>(size), free, c10::Device(at::kMeta)};
  }
  void copy_data(void*, const void*, std::size_t) const override {}

 private:
  static void report(std::int64_t size) {
    c10::reportMemoryUsageToProfiler(nullptr, size, 0, 0, c10::Device(at::kMeta));
  }

  c10::Allocator* usual_;
};

/// Returns the bytes of the samples that a training keeps in the device's memory.
Bytes estimate_data(const Case& c, const SplitSizes& samples) {
  const DataSpec spec = make_spec(c);
  const std::int64_t values = c10::multiply_integers(spec.sample_shape);
  const bool is_text = spec.task == Task::kLanguage;
  const std::int64_t own = is_text ? 2 * values * 4 : values + 8;  // As in Split.
  const auto type = find_numerics(c.asked.mode.precision).type;
  const auto width = static_cast<std::int64_t>(c10::elementSize(is_text ? at::kLong : type));
  const std::int64_t converted = values * width + (is_text ? values : 1) * 8;
  Bytes sum{};
  if (c.asked.mode.loader == Loader::kResident) sum.value += samples.train * converted;
  if (c.asked.protocol == "fit")
    sum.value += (samples.validation > 0 ? samples.validation : samples.test) * converted;
  if (c.asked.device == "cpu") sum.value += (samples.train + samples.validation + samples.test) * own;
  return sum;
}

std::shared_ptr<Model> build_on(c10::Device device, const Case& c) {
  std::optional<MetaScope> scope;
  if (device.is_meta()) scope.emplace();
  return c.model->build(c.sizes);
}

/// Returns whether the model has layers that are one operation on a device and many on the meta device.
bool is_recurrent(const Case& c) {
  const auto modules = build_on(at::kMeta, c)->modules(/*include_self=*/false);
  return std::ranges::any_of(
      modules, [](const auto& module) { return module->template as<torch::nn::LSTM>() != nullptr; });
}

/// Returns how many samples a real step on the CPU may have to count its memory; 0: use the meta device.
std::int64_t count_real_samples(const Case& c) {
  constexpr std::int64_t kMost = 1024, kFewest = 8;
  constexpr std::int64_t kMacs = 500'000'000;  // In a forward pass, so that all steps take about 0.1 s.
  if (is_recurrent(c)) return kMost;
  if (c.asked.device != "cpu") return 0;
  // Layers on a CPU may need less memory than their definition, which the meta device counts.
  const std::int64_t macs = count_forward_macs(*build_on(at::kMeta, c), make_spec(c));
  const std::int64_t samples = kMacs / std::max<std::int64_t>(1, macs);
  return samples < kFewest ? 0 : std::min(kMost, samples);
}

/// Counts two steps: the first one lacks the gradients of an earlier one. Sets the parts that hold tensors.
MemoryEstimate count_memory(const Case& c, c10::Device device, std::int64_t batch_size) {
  const MetaAllocator allocator;
  const auto bytes = std::make_shared<TensorBytes>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, bytes);
  const at::ScalarType type = find_numerics(c.asked.mode.precision).type;
  const bool is_own_device = device.str() == c.asked.device;
  const InputFormat format{type, is_own_device && c.asked.mode.layout != Layout::kNchw};
  const auto model = build_on(device, c);
  to_device(*model, device, format);
  MemoryEstimate made;
  made.parameters = bytes->live;
  for (const at::Tensor& parameter : model->parameters()) {
    if (c.is_training() && parameter.requires_grad())
      made.gradients.value += static_cast<std::int64_t>(parameter.nbytes());
  }
  const auto steps = make_steps(*model, c.asked, device);
  if (c.is_training()) made.optimizer = bytes->live - made.parameters;
  const auto options = at::TensorOptions(device);
  at::Tensor exchanged;  // Ranks exchange gradients in buffers.
  if (c.asked.ranks > 1) exchanged = at::empty({made.gradients.value}, options.dtype(at::kByte));
  const DataSpec spec = make_spec(c);
  Batch batch = example_batch(spec, batch_size, options.dtype(type));
  if (puts_channels_last(format, spec.sample_shape))
    batch.inputs = batch.inputs.contiguous(at::MemoryFormat::ChannelsLast);
  steps->begin_epoch(batch_size);
  for (int step = 0; step < 2; ++step) steps->run_step(batch);
  made.activations = bytes->peak - made.parameters - made.gradients - made.optimizer;
  return made;
}

}  // namespace

Measured<StepCosts> step_costs(const Case& c) {
  try {
    const c10::Device device = is_recurrent(c) ? at::kCPU : at::kMeta;
    const auto model = build_on(device, c);
    const auto steps =
        make_steps(*model, {.batch_size = StepCosts::kLargeBatch, .protocol = c.asked.protocol}, device);
    const auto compute_cost = [&](std::int64_t samples) {
      const Batch batch = example_batch(make_spec(c), samples, at::TensorOptions(device));
      steps->begin_epoch(samples);
      return count_step([&] { steps->run_step(batch); });
    };
    compute_cost(StepCosts::kSmallBatch);  // The first step also creates the optimizer's state.
    return StepCosts{compute_cost(StepCosts::kSmallBatch), compute_cost(StepCosts::kLargeBatch)};
  } catch (const std::exception& error) {
    return missing(classify(error).message);
  }
}

Measured<MemoryEstimate> estimate_memory(const Case& c, const SplitSizes& samples) {
  try {
    const std::int64_t real_samples = count_real_samples(c);
    const c10::Device device = real_samples > 0 ? at::kCPU : at::kMeta;
    Case counted_case = c;
    // LibTorch's CPU lacks fp16 in some layers. bf16 has the same size.
    Precision& precision = counted_case.asked.mode.precision;
    if (device.is_cpu() && precision == Precision::kFp16) precision = Precision::kBf16;
    if (device.is_cpu() && precision == Precision::kAmpFp16) precision = Precision::kAmpBf16;
    const std::int64_t batch_size = std::min(alone(c).asked.batch_size, samples.train);
    // Larger real steps are extrapolated.
    const std::int64_t counted = device.is_cpu() ? std::min(batch_size, real_samples) : batch_size;
    MemoryEstimate made = count_memory(counted_case, device, counted);
    if (counted < batch_size) {
      const Bytes half = made.activations - count_memory(counted_case, device, counted / 2).activations;
      made.activations.value += half.value * (batch_size - counted) / (counted - counted / 2);
    }
    made.data = estimate_data(c, samples);
    return made;
  } catch (const std::exception& error) {
    return missing(classify(error).message);
  }
}

}  // namespace gpubench
