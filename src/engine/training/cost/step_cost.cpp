#include "engine/training/cost/step_cost.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>
#include <ATen/record_function.h>

#include "engine/training/cost/mac_formulas.h"

namespace gpubench {
namespace {

// What an operation of LibTorch reads and writes if no cache helps.

/// These overwrite their first input without reading it.
constexpr std::string_view kOverwriting[] = {
    "aten::copy_",    "aten::fill_",      "aten::zero_",          "aten::normal_",       "aten::random_",
    "aten::uniform_", "aten::bernoulli_", "aten::_foreach_copy_", "aten::_foreach_zero_"};

/// These pick rows or elements out of their first input.
constexpr std::string_view kPicking[] = {"aten::index_select", "aten::index", "aten::gather",
                                         "aten::embedding", "aten::take"};

constexpr std::string_view kAllocating[] = {"aten::empty", "aten::new_empty", "aten::_empty"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
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

const void* storage_of(const at::Tensor& tensor) {
  return tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl() : nullptr;
}

/// What the tensor really holds: an expanded dimension is one element that is read again and again.
double bytes_of(const at::Tensor& tensor) {
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
    reads_rows_ = is_one_of(kPicking, name->name);
    const bool overwrites = is_one_of(kOverwriting, name->name);
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
        if (std::ranges::find(own_, storage_of(tensor)) != own_.end()) return;
        has_fresh = true;
        fresh += bytes_of(tensor);
      });
    }
    if (!has_fresh && !writes_inputs_) return std::nullopt;
    return bytes_ + fresh * (reads_rows_ ? 2 : 1);
  }

 private:
  void add_input(const c10::IValue& value, bool is_read, bool is_written) {
    writes_inputs_ = writes_inputs_ || is_written;
    for_each_tensor(value, [&](const at::Tensor& tensor) {
      bytes_ += bytes_of(tensor) * ((is_read ? 1 : 0) + (is_written ? 1 : 0));
      own_.push_back(storage_of(tensor));
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
      : tally(count), caller(caller_), macs(macs_of(call.name(), call.inputs())), traffic(call) {}

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

}  // namespace gpubench
