#include "workloads/cost/cost.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <span>
#include <string_view>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/record_function.h>
#include <c10/util/ScopeExit.h>

#include "engine/torch/meta_device.h"
#include "gpubench/model.h"
#include "workloads/input/batch_source.h"

namespace gpubench {
namespace {

using at::Tensor;
using OperationInputs = c10::ArrayRef<const c10::IValue>;

/// Calls `visit` with each tensor in an argument, which may be a tensor, a list or absent.
template <class Visit>
void for_each_tensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor() && value.toTensor().defined()) visit(value.toTensor());
  if (!value.isList() || value.isIntList() || value.isDoubleList() || value.isBoolList()) return;
  for (const c10::IValue& element : value.toListRef()) for_each_tensor(element, visit);
}

// Each function returns the multiplications of an operation.

/// Applies a formula to the inputs after the first, which is a summand or the gradient of the result.
template <auto formula, int factor>
std::int64_t skip_first(OperationInputs inputs) {
  return factor * formula(inputs.slice(1));
}

/// Product of a [.., n, k] tensor with a vector [k] or a matrix that has its columns in dimension `columns`.
template <std::int64_t columns>
std::int64_t product(OperationInputs inputs) {
  const Tensor& factor = inputs[1].toTensor();
  return inputs[0].toTensor().numel() * (factor.dim() > 1 ? factor.size(columns) : 1);
}

constexpr auto kSumAndProduct = skip_first<product<-1>, 1>;

/// Returns the number of gradients (input, weight), each as costly as the forward operation. Bias is free.
std::int64_t count_gradients(const c10::IValue& output_mask) {
  const auto mask = output_mask.toBoolList();
  return std::int64_t{mask[0]} + std::int64_t{mask[1]};
}

std::int64_t linear_backward(OperationInputs inputs) {
  return count_gradients(inputs[3]) * product<1>(inputs.slice(1));
}

std::int64_t count_positions(const Tensor& tensor) {
  return tensor.size(1) > 0 ? tensor.numel() / tensor.size(1) : 0;
}

/// One multiplication per weight and output position. A single value of a list applies to all dimensions.
template <std::size_t stride, std::size_t padding, std::size_t dilation>
std::int64_t count_convolution(OperationInputs inputs) {
  const Tensor& input = inputs[0].toTensor();
  const Tensor& weight = inputs[1].toTensor();
  const auto parameter = [&](std::size_t argument, std::int64_t dimension) {
    const auto values = inputs[argument].toIntVector();
    return values[std::min(static_cast<std::size_t>(dimension), values.size() - 1)];
  };
  std::int64_t positions = input.size(0);
  for (std::int64_t i = 0; i + 2 < input.dim(); ++i) {
    const std::int64_t padded = input.size(i + 2) + 2 * parameter(padding, i);
    const std::int64_t reach = parameter(dilation, i) * (weight.size(i + 2) - 1);
    positions *= (padded - reach - 1) / parameter(stride, i) + 1;
  }
  return weight.numel() * positions;
}

/// A transposed convolution has a multiplication per weight and input position.
std::int64_t convolution(OperationInputs inputs) {
  const bool is_transposed = inputs[6].toBool();
  if (is_transposed) return inputs[1].toTensor().numel() * count_positions(inputs[0].toTensor());
  return count_convolution<3, 4, 5>(inputs);
}

std::int64_t convolution_backward(OperationInputs inputs) {
  const bool is_transposed = inputs[7].toBool();
  const Tensor& positions = inputs[is_transposed ? 1 : 0].toTensor();
  return count_gradients(inputs[10]) * inputs[2].toTensor().numel() * count_positions(positions);
}

/// Convolution with stride 1 by gpubench's kernels, in the multiplications of the definition.
std::int64_t own_convolution(OperationInputs inputs) {
  const Tensor& input = inputs[0].toTensor();
  const Tensor& weight = inputs[1].toTensor();
  const std::int64_t border = 2 * inputs.back().toInt() + 1;
  return weight.numel() * input.size(0) * (input.size(2) + border - weight.size(2)) *
         (input.size(3) + border - weight.size(3));
}

/// One multiplication per weight and element of the sequences. Vectors are biases.
std::int64_t recurrent(const Tensor& sequences, OperationInputs weights) {
  std::int64_t sum = 0;
  for (const c10::IValue& value : weights)
    for_each_tensor(value, [&](const Tensor& weight) { sum += weight.dim() == 2 ? weight.numel() : 0; });
  return sequences.numel() / std::max<std::int64_t>(1, sequences.size(-1)) * sum;
}

/// Packed sequences have an additional argument before the parameters, their batch sizes.
std::int64_t lstm(OperationInputs inputs) {
  return recurrent(inputs[0].toTensor(), inputs.slice(inputs[1].isTensor() ? 3 : 2, 1));
}

/// The backward pass of a whole recurrent layer always computes the gradients of input and weights.
template <std::size_t sequences, std::size_t first_weight, std::size_t weights>
std::int64_t recurrent_backward(OperationInputs inputs) {
  return 2 * recurrent(inputs[sequences].toTensor(), inputs.slice(first_weight, weights));
}

/// Scores of queries [.., n, e] with keys [.., k, e], and their product with values [.., k, v].
std::int64_t attention(OperationInputs inputs) {
  const Tensor& queries = inputs[0].toTensor();
  const Tensor& keys = inputs[1].toTensor();
  const std::int64_t depth = std::max<std::int64_t>(1, queries.size(-1));
  return queries.numel() / depth * keys.size(-2) * (depth + inputs[2].toTensor().size(-1));
}

struct Formula {
  std::string_view name;
  std::int64_t (*macs)(OperationInputs inputs);
};

constexpr Formula kFormulas[] = {
    {"aten::mm", product<-1>},
    {"aten::bmm", product<-1>},
    {"aten::mv", product<-1>},
    {"aten::dot", product<-1>},
    {"aten::addmm", kSumAndProduct},
    {"aten::addbmm", kSumAndProduct},
    {"aten::baddbmm", kSumAndProduct},
    {"aten::addmv", kSumAndProduct},
    {"aten::_addmm_activation", kSumAndProduct},
    {"aten::linear", product<0>},
    {"mkldnn::_linear_pointwise", product<0>},
    {"aten::linear_backward", linear_backward},
    {"aten::convolution", convolution},
    {"mkldnn::_convolution_pointwise", count_convolution<4, 3, 5>},
    {"aten::convolution_backward", convolution_backward},
    {"gpubench::conv2d_max_pool", own_convolution},
    {"gpubench::conv2d_max_pool_backward", skip_first<own_convolution, 1>},  // Images have no gradient.
    {"gpubench::conv2d_winograd", own_convolution},
    {"gpubench::conv2d_winograd_backward", skip_first<own_convolution, 2>},
    {"aten::lstm", lstm},
    {"aten::_cudnn_rnn_backward", recurrent_backward<0, 1, 1>},
    {"aten::miopen_rnn_backward", recurrent_backward<0, 1, 1>},
    {"aten::mkldnn_rnn_layer_backward", recurrent_backward<0, 1, 4>},
    {"aten::lstm_mps_backward", recurrent_backward<5, 8, 1>},
};

/// Returns 0 for integers, and nothing for an operation that delegates its work.
std::optional<std::int64_t> count_macs(std::string_view name, OperationInputs inputs) {
  if (name.ends_with('_')) name.remove_suffix(1);  // "aten::addmm_" updates its first input in place.
  const auto* const found = std::ranges::find(kFormulas, name, &Formula::name);
  auto formula = found == std::end(kFormulas) ? nullptr : found->macs;
  // One name per kind of kernel. Scores that some kernels recompute to save memory do not count.
  if (name.starts_with("aten::_scaled_dot_product_"))
    formula = name.ends_with("_backward") ? skip_first<attention, 2> : attention;
  if (formula == nullptr || inputs.empty()) return std::nullopt;
  const auto* const first = std::ranges::find_if(inputs, &c10::IValue::isTensor);
  const bool has_integers = first != inputs.end() && first->toTensor().defined() &&
                            at::isIntegralType(first->toTensor().scalar_type(), /*includeBool=*/true);
  return has_integers ? 0 : formula(inputs);
}

/// Operations that overwrite their first input without reading it.
constexpr std::string_view kOverwriting[] = {
    "aten::copy_",    "aten::fill_",      "aten::zero_",          "aten::normal_",       "aten::random_",
    "aten::uniform_", "aten::bernoulli_", "aten::_foreach_copy_", "aten::_foreach_zero_"};

/// Operations that read rows or elements of their first input.
constexpr std::string_view kPicking[] = {"aten::index_select", "aten::index", "aten::gather",
                                         "aten::embedding", "aten::take"};

constexpr std::string_view kAllocating[] = {"aten::empty", "aten::new_empty", "aten::_empty"};

bool contains(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

const void* find_storage(const Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

/// Returns the bytes in memory. An expanded dimension counts as one element.
double count_bytes(const Tensor& tensor) {
  const auto size = static_cast<double>(tensor.element_size());
  if (tensor.layout() != at::kStrided || !tensor.has_storage()) {
    return size * static_cast<double>(tensor.numel());
  }
  double elements = 1;
  for (std::int64_t i = 0; i < tensor.dim(); ++i) {
    if (tensor.stride(i) != 0 || tensor.size(i) == 0) elements *= static_cast<double>(tensor.size(i));
  }
  return size * elements;
}

/// Memory traffic of an operation. Created at its start, while its inputs are accessible. Keeps no tensor
/// alive.
class OperationTraffic {
 public:
  explicit OperationTraffic(const at::RecordFunction& call) {
    const auto name = call.operator_name();
    const auto is_prefix = [&](std::string_view prefix) { return name->name.starts_with(prefix); };
    if (!name || std::ranges::any_of(kAllocating, is_prefix)) return;
    const auto operation = c10::Dispatcher::singleton().findSchema(*name);
    if (!operation || operation->hasTag(at::Tag::inplace_view)) return;
    may_work_ = true;
    reads_rows_ = contains(kPicking, name->name);
    const bool skips_first = reads_rows_ || contains(kOverwriting, name->name);
    const auto& arguments = operation->schema().arguments();
    const auto inputs = call.inputs();
    for (std::size_t i = 0; i < std::min(inputs.size(), arguments.size()); ++i) {
      const c10::Argument& argument = arguments[i];
      const bool is_read = !argument.is_out() && !(i == 0 && skips_first);
      // Fused optimizers write gradients only with a scaled loss.
      const c10::AliasInfo* const alias = argument.alias_info();
      const bool is_written = alias != nullptr && alias->isWrite() && argument.name() != "grads";
      writes_inputs_ = writes_inputs_ || is_written;
      for_each_tensor(inputs[i], [&](const Tensor& tensor) {
        bytes_ += count_bytes(tensor) * ((is_read ? 1 : 0) + (is_written ? 1 : 0));
        own_.push_back(find_storage(tensor));
      });
    }
  }

  /// Returns the bytes of all inputs and outputs. Returns nothing for views and allocations.
  std::optional<double> bytes(const std::vector<c10::IValue>& outputs) const {
    if (!may_work_) return std::nullopt;
    double fresh = 0;
    bool has_fresh = false;
    for (const c10::IValue& output : outputs) {
      for_each_tensor(output, [&](const Tensor& tensor) {
        if (std::ranges::find(own_, find_storage(tensor)) != own_.end()) return;
        has_fresh = true;
        fresh += count_bytes(tensor);
      });
    }
    if (!has_fresh && !writes_inputs_) return std::nullopt;
    return bytes_ + fresh * (reads_rows_ ? 2 : 1);
  }

 private:
  bool may_work_ = false;         // False for allocations and in-place changes of shape.
  bool writes_inputs_ = false;    // Some input is also an output.
  bool reads_rows_ = false;       // Reads as much of the first input as it outputs.
  double bytes_ = 0;              // Bytes of the inputs, read and written.
  std::vector<const void*> own_;  // Storages of the inputs.
};

StepCost& operator+=(StepCost& sum, const StepCost& cost) {
  return sum = {sum.flop + cost.flop, sum.operations + cost.operations, sum.bytes + cost.bytes};
}

/// Sum over all threads.
struct Tally {
  std::mutex mutex;
  StepCost total;  // Guarded by `mutex`.
};

/// Count in progress: LibTorch's callbacks are plain functions.
std::atomic<Tally*> current_tally{nullptr};

struct Call : at::ObserverContext {
  Call(Call* caller_, const at::RecordFunction& call)
      : caller(caller_), macs(count_macs(call.name(), call.inputs())), traffic(call) {}

  /// Returns the cost including nested operations. Own work replaces delegated work, so nothing counts twice.
  StepCost cost(const std::vector<c10::IValue>& outputs) const {
    const std::optional<double> bytes = traffic.bytes(outputs);
    return {macs ? 2 * static_cast<double>(*macs) : nested.flop,
            std::max(nested.operations, bytes ? 1.0 : 0.0), std::max(nested.bytes, bytes.value_or(0))};
  }

  Call* caller;  // Calling operation on the same thread; null for the outermost.
  std::optional<std::int64_t> macs;
  OperationTraffic traffic;
  StepCost nested;  // Cost of the operations that it called.
};

thread_local Call* innermost_call = nullptr;

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& call) {
  auto started = std::make_unique<Call>(innermost_call, call);
  innermost_call = started.get();
  return started;
}

void on_end(const at::RecordFunction& call, at::ObserverContext* context) {
  const auto* const ended = static_cast<Call*>(context);
  if (ended == nullptr) return;
  innermost_call = ended->caller;
  const StepCost cost = ended->cost(call.outputs());
  if (ended->caller != nullptr) {
    ended->caller->nested += cost;
  } else if (Tally* const tally = current_tally.load()) {
    const std::lock_guard lock(tally->mutex);
    tally->total += cost;
  }
}

}  // namespace

StepCost count_step(const std::function<void()>& step) {
  Tally tally;
  current_tally = &tally;
  {
    const at::CallbackHandle handle = at::addGlobalCallback(at::RecordFunctionCallback(on_start, on_end)
                                                                .needsInputs(true)
                                                                .needsOutputs(true)
                                                                .scopes({at::RecordScope::FUNCTION}));
    const auto end = c10::make_scope_exit([handle] {
      at::removeCallback(handle);
      current_tally = nullptr;
    });
    step();
  }
  const std::lock_guard lock(tally.mutex);
  return tally.total;
}

StepCost cost_of_batch(const std::function<void(std::int64_t samples)>& step, std::int64_t batch_size,
                       RankShare share) {
  const auto count = [&](std::int64_t samples) { return count_step([&] { step(samples); }); };
  if (batch_size <= share.ranks * StepCosts::kLargeBatch) return count(batch_size);
  const StepCosts costs{count(share.ranks * StepCosts::kSmallBatch),
                        count(share.ranks * StepCosts::kLargeBatch)};
  return costs.of_batch(share.size(batch_size));
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
  // The inputs need the type of the parameters.
  const Batch sample = example_batch(spec, 1, model.parameters().front().options());
  return std::llround(count_step([&] { model.evaluate(sample); }).flop / 2);
}

ModelCost model_cost(const ModelEntry& entry) {
  const auto model = [&] {
    const MetaScope scope;
    return entry.build(all_sizes(entry, {}));
  }();
  return {count_parameters(*model), count_forward_macs(*model, spec_at(entry, {}))};
}

}  // namespace gpubench
