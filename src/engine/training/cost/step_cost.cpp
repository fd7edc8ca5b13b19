#include "engine/training/cost/step_cost.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "engine/training/cost/mac_formulas.h"
#include "engine/training/cost/operation_traffic.h"

namespace gpubench {
namespace {

constexpr std::int64_t kSmallBatch = 4;
constexpr std::int64_t kLargeBatch = 8;

StepCost operator+(const StepCost& a, const StepCost& b) {
  return {a.flop + b.flop, a.operations + b.operations, a.bytes + b.bytes};
}

/// What all threads have done so far.
class Tally {
 public:
  void add(const StepCost& cost) {
    const std::lock_guard<std::mutex> lock(mutex_);
    total_ = total_ + cost;
  }
  StepCost total() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return total_;
  }

 private:
  std::mutex mutex_;
  StepCost total_;
};

/// LibTorch calls back plain functions, which find the count in progress here.
std::atomic<Tally*>& current_tally() {
  static std::atomic<Tally*> tally{nullptr};
  return tally;
}

/// An operation under way.
struct Call : at::ObserverContext {
  Call(Tally* count, Call* caller_, const at::RecordFunction& call)
      : tally(count), caller(caller_), macs(macs_of(call.name(), call.inputs())), traffic(call) {}

  StepCost cost(const std::vector<c10::IValue>& outputs) const;

  Tally* tally;
  Call* caller;  // On the same thread; nullptr for the outermost.
  std::optional<std::int64_t> macs;
  OperationTraffic traffic;
  StepCost nested;  // Of the operations that it called.
};

Call*& innermost_call() {
  thread_local Call* call = nullptr;
  return call;
}

/// Products count as a whole. As for the rest, an operation may do its work itself or have it done by those
/// that it calls, which it does not tell: the larger figure of the two is never too high.
StepCost Call::cost(const std::vector<c10::IValue>& outputs) const {
  const std::optional<double> bytes = traffic.bytes(outputs);
  return {macs ? 2 * static_cast<double>(*macs) : nested.flop, std::max(nested.operations, bytes ? 1.0 : 0.0),
          std::max(nested.bytes, bytes.value_or(0))};
}

std::unique_ptr<at::ObserverContext> on_start(const at::RecordFunction& call) {
  auto started = std::make_unique<Call>(current_tally().load(), innermost_call(), call);
  innermost_call() = started.get();
  return started;
}

void on_end(const at::RecordFunction& call, at::ObserverContext* context) {
  const auto* const ended = static_cast<Call*>(context);
  if (ended == nullptr) return;
  innermost_call() = ended->caller;
  const StepCost cost = ended->cost(call.outputs());
  if (ended->caller != nullptr) {
    ended->caller->nested = ended->caller->nested + cost;
  } else if (ended->tally != nullptr) {
    ended->tally->add(cost);
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
    current_tally() = &tally;
  }
  ~Listener() {
    at::removeCallback(handle_);
    current_tally() = nullptr;
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
  return tally.total();
}

StepCost cost_of_batch(const std::function<void(std::int64_t samples)>& step, std::int64_t batch_size) {
  const auto count = [&](std::int64_t samples) { return count_step([&] { step(samples); }); };
  if (batch_size <= kLargeBatch) return count(batch_size);
  const StepCost small = count(kSmallBatch);
  const StepCost large = count(kLargeBatch);
  const double further =
      static_cast<double>(batch_size - kLargeBatch) / static_cast<double>(kLargeBatch - kSmallBatch);
  return {large.flop + further * (large.flop - small.flop), large.operations,
          large.bytes + further * (large.bytes - small.bytes)};
}

}  // namespace gpubench
