#include "engine/training/cost/step_cost.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/core/ivalue.h>
#include <ATen/record_function.h>

#include "engine/api/model_cost.h"
#include "engine/training/input/batch_source.h"
#include "gpubench/model.h"

namespace gpubench {
namespace {

/// The arguments of an operation in the order of its schema.
using OperationInputs = c10::ArrayRef<const c10::IValue>;

using at::Tensor;

/// Product of a [.., n, k] tensor and one that is [.., k, m] or [k].
std::int64_t product_of_first(OperationInputs inputs) {
  const Tensor& factor = inputs[1].toTensor();
  return inputs[0].toTensor().numel() * (factor.dim() > 1 ? factor.size(-1) : 1);
}

/// The input before the two factors is added to their product.
std::int64_t product_of_second(OperationInputs inputs) { return product_of_first(inputs.slice(1)); }

/// A weight is [outputs, features].
std::int64_t linear(OperationInputs inputs) {
  const Tensor& weight = inputs[1].toTensor();
  return inputs[0].toTensor().numel() * (weight.dim() > 1 ? weight.size(0) : 1);
}

/// How many of the gradients of input and weight a backward operation is asked for; each costs as much as the
/// forward one, and that of the bias nothing.
std::int64_t gradients(const c10::IValue& output_mask) {
  const auto mask = output_mask.toBoolList();
  return std::int64_t{mask[0]} + std::int64_t{mask[1]};
}

std::int64_t linear_backward(OperationInputs inputs) {
  const Tensor& weight = inputs[2].toTensor();
  const std::int64_t forward = inputs[1].toTensor().numel() * (weight.dim() > 1 ? weight.size(1) : 1);
  return gradients(inputs[3]) * forward;
}

/// Samples and places of a tensor that has its channels in dimension 1.
std::int64_t positions(const Tensor& tensor) {
  return tensor.size(1) > 0 ? tensor.numel() / tensor.size(1) : 0;
}

/// Positions of the output of a convolution that is not transposed; `parameters`: stride, padding, dilation.
std::int64_t output_positions(const Tensor& input, const Tensor& weight, OperationInputs parameters) {
  const auto of_dimension = [](const c10::IValue& list, std::int64_t i) {
    const auto values = list.toIntVector();
    return values[std::min(static_cast<std::size_t>(i), values.size() - 1)];  // One value may stand for all.
  };
  std::int64_t count = input.size(0);
  for (std::int64_t i = 0; i + 2 < input.dim(); ++i) {
    const std::int64_t padded = input.size(i + 2) + 2 * of_dimension(parameters[1], i);
    const std::int64_t reach = of_dimension(parameters[2], i) * (weight.size(i + 2) - 1);
    count *= (padded - reach - 1) / of_dimension(parameters[0], i) + 1;
  }
  return count;
}

/// Each weight meets each output position once, or, in a transposed convolution, each input position.
std::int64_t convolution(OperationInputs inputs) {
  const Tensor& input = inputs[0].toTensor();
  const Tensor& weight = inputs[1].toTensor();
  const bool is_transposed = inputs[6].toBool();
  return weight.numel() *
         (is_transposed ? positions(input) : output_positions(input, weight, inputs.slice(3, 3)));
}

std::int64_t convolution_backward(OperationInputs inputs) {
  const bool is_transposed = inputs[7].toBool();
  const Tensor& walked = inputs[is_transposed ? 1 : 0].toTensor();
  return gradients(inputs[10]) * inputs[2].toTensor().numel() * positions(walked);
}

/// Each weight matrix meets each element of the sequences once; biases are vectors.
std::int64_t recurrent(const Tensor& sequences, OperationInputs weights) {
  std::int64_t sum = 0;
  const auto add = [&](const Tensor& weight) { sum += weight.dim() == 2 ? weight.numel() : 0; };
  for (const c10::IValue& value : weights) {
    if (value.isTensor()) add(value.toTensor());
    if (value.isTensorList()) {
      for (const Tensor& weight : value.toTensorVector()) add(weight);
    }
  }
  return sequences.numel() / std::max<std::int64_t>(1, sequences.size(-1)) * sum;
}

/// Packed sequences come with their batch sizes, one argument more before the parameters.
std::int64_t lstm(OperationInputs inputs) {
  return recurrent(inputs[0].toTensor(), inputs.slice(inputs[1].isTensor() ? 3 : 2, 1));
}

// The backward passes of whole recurrent layers compute the gradients of input and weights together, whether
// both are asked for or not.
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

/// The gradients of both products. That some kernels compute the scores again to save memory is no work of
/// the model's.
std::int64_t attention_backward(OperationInputs inputs) { return 2 * attention(inputs.slice(1)); }

struct Formula {
  std::string_view name;
  std::int64_t (*macs)(OperationInputs inputs);
};

constexpr std::string_view kAttention = "aten::_scaled_dot_product_";  // One for each kind of kernel.

constexpr Formula kFormulas[] = {
    {"aten::mm", product_of_first},
    {"aten::bmm", product_of_first},
    {"aten::mv", product_of_first},
    {"aten::dot", product_of_first},
    {"aten::addmm", product_of_second},
    {"aten::addbmm", product_of_second},
    {"aten::baddbmm", product_of_second},
    {"aten::addmv", product_of_second},
    {"aten::_addmm_activation", product_of_second},
    {"aten::linear", linear},
    {"mkldnn::_linear_pointwise", linear},
    {"aten::linear_backward", linear_backward},
    {"aten::convolution", convolution},
    {"aten::convolution_backward", convolution_backward},
    {"aten::lstm", lstm},
    {"aten::_cudnn_rnn_backward", recurrent_backward<0, 1, 1>},
    {"aten::miopen_rnn_backward", recurrent_backward<0, 1, 1>},
    {"aten::mkldnn_rnn_layer_backward", recurrent_backward<0, 1, 4>},
    {"aten::lstm_mps_backward", recurrent_backward<5, 8, 1>},
};

/// nullptr where there is none.
auto find_formula(std::string_view name) -> decltype(Formula::macs) {
  if (name.starts_with(kAttention)) return name.ends_with("_backward") ? attention_backward : attention;
  if (name.ends_with('_')) name.remove_suffix(1);  // "aten::addmm_" updates its first input in place.
  const auto* const found = std::ranges::find(kFormulas, name, &Formula::name);
  return found == std::end(kFormulas) ? nullptr : found->macs;
}

bool has_integers(OperationInputs inputs) {
  const auto* const first = std::ranges::find_if(inputs, &c10::IValue::isTensor);
  return first != inputs.end() && first->toTensor().defined() &&
         at::isIntegralType(first->toTensor().scalar_type(), /*includeBool=*/true);
}

/// Multiply-accumulates of operation `name` ("aten::mm") as a whole, whatever it calls to do its work: matrix
/// products, convolutions, recurrent layers and attention, forward and backward. 0 for integers; nothing for
/// an operation that has none, or that leaves them to the operations that it calls.
std::optional<std::int64_t> macs_for(std::string_view name, OperationInputs inputs) {
  const auto formula = find_formula(name);
  if (formula == nullptr || inputs.empty()) return std::nullopt;
  return has_integers(inputs) ? 0 : formula(inputs);
}

// What an operation of LibTorch reads and writes if no cache helps.

/// These overwrite their first input without reading it.
constexpr std::string_view kOverwriting[] = {
    "aten::copy_",    "aten::fill_",      "aten::zero_",          "aten::normal_",       "aten::random_",
    "aten::uniform_", "aten::bernoulli_", "aten::_foreach_copy_", "aten::_foreach_zero_"};

/// These pick rows or elements out of their first input.
constexpr std::string_view kPicking[] = {"aten::index_select", "aten::index", "aten::gather",
                                         "aten::embedding", "aten::take"};

constexpr std::string_view kAllocating[] = {"aten::empty", "aten::new_empty", "aten::_empty"};

bool is_one_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool allocates(std::string_view name) {
  return std::ranges::any_of(kAllocating, [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Calls `visit` with each tensor in an argument: alone, in a list, or absent.
template <class Visit>
void for_each_tensor(const c10::IValue& value, Visit visit) {
  if (value.isTensor() && value.toTensor().defined()) visit(value.toTensor());
  if (!value.isList()) return;
  if (value.isIntList() || value.isDoubleList() || value.isBoolList()) return;
  for (const c10::IValue& element : value.toListRef()) for_each_tensor(element, visit);
}

const void* find_storage(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

/// What the tensor really holds: an expanded dimension is one element that is read again and again.
double count_bytes(const at::Tensor& tensor) {
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

/// By the schema. Fused optimisers may write gradients, but do so with a scaled loss only.
bool is_written(const c10::Argument& argument) {
  const c10::AliasInfo* const alias = argument.alias_info();
  return alias != nullptr && alias->isWrite() && argument.name() != "grads";
}

/// Made when an operation starts, for that is when its inputs can be seen. Keeps no tensor alive.
class OperationTraffic {
 public:
  explicit OperationTraffic(const at::RecordFunction& call) {
    const auto name = call.operator_name();
    if (!name || allocates(name->name)) return;
    const auto operation = c10::Dispatcher::singleton().findSchema(*name);
    if (!operation || operation->hasTag(at::Tag::inplace_view)) return;
    may_work_ = true;
    reads_rows_ = is_one_among(kPicking, name->name);
    const bool overwrites = is_one_among(kOverwriting, name->name);
    const auto& arguments = operation->schema().arguments();
    const auto inputs = call.inputs();
    for (std::size_t i = 0; i < std::min(inputs.size(), arguments.size()); ++i) {
      const bool is_first = i == 0;
      const bool is_unread = arguments[i].is_out() || (is_first && (overwrites || reads_rows_));
      add_input(inputs[i], !is_unread, is_written(arguments[i]));
    }
  }

  /// Bytes read and written, now that the outputs are known: each input and each output once, however often
  /// the operation walks over it. Nothing for what does no work of its own on tensors: views, allocations.
  std::optional<double> bytes(const std::vector<c10::IValue>& outputs) const {
    if (!may_work_) return std::nullopt;
    double fresh = 0;
    bool has_fresh = false;
    for (const c10::IValue& output : outputs) {
      for_each_tensor(output, [&](const at::Tensor& tensor) {
        if (std::ranges::find(own_, find_storage(tensor)) != own_.end()) return;
        has_fresh = true;
        fresh += count_bytes(tensor);
      });
    }
    if (!has_fresh && !writes_inputs_) return std::nullopt;
    return bytes_ + fresh * (reads_rows_ ? 2 : 1);
  }

 private:
  void add_input(const c10::IValue& value, bool is_read, bool is_written) {
    writes_inputs_ = writes_inputs_ || is_written;
    for_each_tensor(value, [&](const at::Tensor& tensor) {
      bytes_ += count_bytes(tensor) * ((is_read ? 1 : 0) + (is_written ? 1 : 0));
      own_.push_back(find_storage(tensor));
    });
  }

  bool may_work_ = false;         // Not an allocation, and not a change of shape in place.
  bool writes_inputs_ = false;    // Some input is also an output.
  bool reads_rows_ = false;       // As much of the first input as there is output.
  double bytes_ = 0;              // Of the inputs, read and written.
  std::vector<const void*> own_;  // Storages of the inputs.
};

// Counting.

StepCost& operator+=(StepCost& sum, const StepCost& cost) {
  return sum = {sum.flop + cost.flop, sum.operations + cost.operations, sum.bytes + cost.bytes};
}

/// What all threads have done so far.
struct Tally {
  std::mutex mutex;
  StepCost total;  // Guarded by it.
};

/// LibTorch calls back plain functions, which find the count in progress here.
std::atomic<Tally*> current_tally{nullptr};

/// An operation under way.
struct Call : at::ObserverContext {
  Call(Tally* count, Call* caller_, const at::RecordFunction& call)
      : tally(count), caller(caller_), macs(macs_for(call.name(), call.inputs())), traffic(call) {}

  /// Products count as a whole. As for the rest, an operation may do its work itself or have it done by those
  /// that it calls, which it does not tell: the larger figure of the two is never too high.
  StepCost cost(const std::vector<c10::IValue>& outputs) const {
    const std::optional<double> bytes = traffic.bytes(outputs);
    return {macs ? 2 * static_cast<double>(*macs) : nested.flop,
            std::max(nested.operations, bytes ? 1.0 : 0.0), std::max(nested.bytes, bytes.value_or(0))};
  }

  Tally* tally;
  Call* caller;  // On the same thread; nullptr for the outermost.
  std::optional<std::int64_t> macs;
  OperationTraffic traffic;
  StepCost nested;  // Of the operations that it called.
};

thread_local Call* innermost_call = nullptr;

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& call) {
  auto started = std::make_unique<Call>(current_tally.load(), innermost_call, call);
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
  } else if (ended->tally != nullptr) {
    const std::lock_guard lock(ended->tally->mutex);
    ended->tally->total += cost;
  }
}

/// Listens to the operations of all threads while it lives.
class Listener {
 public:
  explicit Listener(Tally& tally)
      : handle_(at::addGlobalCallback(at::RecordFunctionCallback(on_start, on_end)
                                          .needsInputs(true)
                                          .needsOutputs(true)
                                          .scopes({at::RecordScope::FUNCTION}))) {
    current_tally = &tally;
  }
  ~Listener() {
    at::removeCallback(handle_);
    current_tally = nullptr;
  }
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

 private:
  at::CallbackHandle handle_;
};

}  // namespace

StepCost count_step(const std::function<void()>& step) {
  Tally tally;
  {
    const Listener listener(tally);
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

std::int64_t count_macs(const std::function<void()>& work) { return std::llround(count_step(work).flop / 2); }

std::int64_t count_parameters(const Model& model) {
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model.parameters())
    count += parameter.requires_grad() ? parameter.numel() : 0;
  return count;
}

std::int64_t count_forward_macs(Model& model, const DataSpec& spec) {
  const at::NoGradGuard no_grad;
  model.eval();
  // Bf16 parameters need such inputs.
  const Batch sample = example_batch(spec, 1, model.parameters().front().options());
  return count_macs([&] { model.evaluate(sample); });
}

ModelCost model_cost(const ModelEntry& entry) {
  const auto model = entry.build(all_sizes(entry, {}));
  return {count_parameters(*model), count_forward_macs(*model, spec_at(entry, {}))};
}

}  // namespace gpubench
