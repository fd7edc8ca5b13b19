#include <memory>
#include <string_view>

#include <ATen/core/Tensor.h>
#include <ATen/ops/zeros.h>
#include <ATen/record_function.h>

#include "gpubench/engine/model_cost.h"
#include "gpubench/model.h"

namespace gpubench {
namespace {

using Inputs = c10::ArrayRef<const c10::IValue>;

struct MacCount {
  std::int64_t macs = 0;
  int counted_depth = 0;  // Above 0 inside an operation that is counted as a whole.
};

/// LibTorch calls back plain functions, so the count in progress is found through its thread.
MacCount*& current_count() {
  thread_local MacCount* count = nullptr;
  return count;
}

/// Carried from the start of an operation, where its inputs are valid, to its end, where its output is.
struct Pending : at::ObserverContext {
  explicit Pending(std::int64_t count) : macs(count) {}
  std::int64_t macs;
  bool is_per_output_position = false;
};

/// Each weight meets each output position once, or, in a transposed convolution, each input position.
std::unique_ptr<Pending> pending_convolution(Inputs inputs) {
  const at::Tensor& input = inputs[0].toTensor();
  auto pending = std::make_unique<Pending>(inputs[1].toTensor().numel());
  const bool is_transposed = inputs[6].toBool();
  if (is_transposed) pending->macs *= input.numel() / input.size(1);
  pending->is_per_output_position = !is_transposed;
  return pending;
}

/// Product of a [.., n, k] and a [.., k, m] tensor.
std::int64_t matmul_macs(const at::Tensor& a, const at::Tensor& b) { return a.numel() * b.size(-1); }

/// Each weight matrix meets each element of the sequence once.
std::int64_t lstm_macs(Inputs inputs) {
  const at::Tensor& sequence = inputs[0].toTensor();
  std::int64_t weights = 0;
  for (const at::Tensor& parameter : inputs[2].toTensorVector()) {
    if (parameter.dim() == 2) weights += parameter.numel();
  }
  return sequence.size(0) * sequence.size(1) * weights;
}

bool is_counted(std::string_view name) {
  return name == "aten::convolution" || name == "aten::addmm" || name == "aten::mm" || name == "aten::bmm" ||
         name == "aten::lstm";
}

std::unique_ptr<Pending> pending_macs(std::string_view name, Inputs inputs) {
  if (name == "aten::convolution") return pending_convolution(inputs);
  if (name == "aten::lstm") return std::make_unique<Pending>(lstm_macs(inputs));
  const std::size_t first = name == "aten::addmm" ? 1 : 0;
  return std::make_unique<Pending>(matmul_macs(inputs[first].toTensor(), inputs[first + 1].toTensor()));
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& call) {
  if (!is_counted(call.name())) return nullptr;
  ++current_count()->counted_depth;
  return pending_macs(call.name(), call.inputs());
}

void on_end(const at::RecordFunction& call, at::ObserverContext* context) {
  const auto* pending = static_cast<Pending*>(context);
  if (pending == nullptr || --current_count()->counted_depth > 0) return;
  std::int64_t macs = pending->macs;
  if (pending->is_per_output_position) {
    const at::Tensor& output = call.outputs()[0].toTensor();
    macs *= output.numel() / output.size(1);
  }
  current_count()->macs += macs;
}

/// Listens to this thread's operations while it lives.
class Listener {
 public:
  explicit Listener(MacCount& count)
      : outer_(current_count()),
        handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(on_start, on_end)
                                               .needsInputs(true)
                                               .needsOutputs(true)
                                               .scopes({at::RecordScope::FUNCTION}))) {
    current_count() = &count;
  }
  ~Listener() {
    at::removeCallback(handle_);
    current_count() = outer_;
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  MacCount* outer_;
  at::CallbackHandle handle_;
};

}  // namespace

std::int64_t count_macs(const std::function<void()>& work) {
  MacCount count;
  const Listener listener(count);
  work();
  return count.macs;
}

std::int64_t count_parameters(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters())
    count += parameter.requires_grad() ? parameter.numel() : 0;
  return count;
}

std::int64_t count_forward_macs(Model& model, const DataSpec& spec) {
  const at::NoGradGuard no_grad;
  model.eval();
  std::vector<std::int64_t> shape{1};
  shape.insert(shape.end(), spec.sample_shape.begin(), spec.sample_shape.end());
  const auto options = at::TensorOptions(model.parameters().front().device());
  const Batch sample{at::zeros(shape, options.dtype(at::kFloat)), at::zeros({1}, options.dtype(at::kLong))};
  return count_macs([&] { model.evaluate(sample); });
}

ModelCost model_cost(const ModelEntry& entry) {
  const auto model = entry.build();
  return {count_parameters(*model), count_forward_macs(*model, entry.spec)};
}

}  // namespace gpubench
