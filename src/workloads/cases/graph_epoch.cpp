#include "workloads/cases/session.h"

#include <algorithm>
#include <cmath>

#include <ATen/ceil_div.h>
#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "workloads/cost/cost.h"

namespace gpubench {
namespace {

at::TensorOptions indices_on(c10::Device device) { return at::TensorOptions(device).dtype(at::kLong); }

void restore(std::vector<at::Tensor> tensors, const std::vector<at::Tensor>& saved) {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < tensors.size(); ++i) tensors[i].copy_(saved[i]);
}

}  // namespace

GraphShape graph_shape(std::int64_t samples, std::int64_t batch_size, double nodes_per_step) {
  constexpr double kMostNodes = 6'000;
  const std::int64_t steps = at::ceil_div(samples, batch_size);
  const auto most = std::max<std::int64_t>(1, std::llround(std::floor(kMostNodes / nodes_per_step)));
  if (steps <= most) return {0, 0, steps};
  // Blocks contain full batches only.
  const std::int64_t full = samples / batch_size;
  const std::int64_t block = std::min(most, full / std::min(full, kEpochBlocks));
  const std::int64_t rounds = full / block;
  return {block, rounds, steps - block * rounds};
}

GraphEpoch::GraphEpoch(Steps& steps, const ResidentSplit& train, Device& device, BlockStamps& stamps,
                       bool is_by_step)
    : steps_(steps),
      train_(train),
      stamps_(stamps),
      order_(train.draw_order()),
      position_(at::zeros({1}, indices_on(train.device()))) {
  const std::vector<at::Tensor> state = steps.state();
  const auto saved = mapped(state, [](const at::Tensor& tensor) { return tensor.detach().clone(); });
  try {
    record(device, is_by_step);
  } catch (...) {
    steps_.discard_step();
    device.synchronize();  // The warm-up may still run on another stream.
    restore(state, saved);
    throw;
  }
  restore(state, saved);
}

void GraphEpoch::record(Device& device, bool is_by_step) {
  const std::int64_t batch = steps_.batch_size();
  double operations = 0;
  // This step is never replayed. Its node count determines the shape of the other graphs.
  first_ = device.record_graph([&] { operations = warm_up(); },
                               [&] {
                                 run_step(order_, 0, std::min(batch, train_.size()));
                                 steps_.score_steps();
                               });
  begin();  // The following recordings start at the beginning of an epoch.
  const double nodes = std::max(operations, static_cast<double>(first_->node_count()));
  shape_ = is_by_step ? GraphShape{1, train_.size() / batch, 0} : graph_shape(train_.size(), batch, nodes);
  const std::int64_t replayed = shape_.blocks * shape_.block_steps;
  if (!is_by_step) stamps_.divide(block_ends(replayed + shape_.tail_steps, replayed, shape_.block_steps));
  lanes_ = at::arange(shape_.block_steps * batch, indices_on(train_.device()));
  if (shape_.blocks > 0) {
    block_ = device.record_beside(*first_, [this, batch] {
      const at::Tensor samples = order_.index_select(0, lanes_ + position_);
      position_.add_(lanes_.size(0));
      for (std::int64_t step = 0; step < shape_.block_steps; ++step) run_step(samples, step * batch, batch);
      steps_.score_steps();
    });
  }
  if (shape_.tail_steps > 0) {
    tail_ = device.record_beside(*first_, [this, batch, replayed] {
      for (std::int64_t step = replayed; step < replayed + shape_.tail_steps; ++step) {
        run_step(order_, step * batch, std::min(batch, train_.size() - step * batch));
        stamps_.reach(step + 1);
      }
      steps_.score_steps();
    });
  }
}

/// Runs full and short steps twice each, since the first run selects kernels and allocates memory.
double GraphEpoch::warm_up() {
  begin();
  const std::int64_t size = std::min(steps_.batch_size(), train_.size());
  double operations = 1;
  for (const std::int64_t samples : {size, train_.size() % steps_.batch_size()}) {
    const auto step = [&] { run_step(order_, 0, samples); };
    for (int pass = 0; pass < 2 && samples > 0; ++pass) {
      operations = std::max(operations, count_step(step).operations);
    }
  }
  steps_.score_steps();
  return operations;
}

void GraphEpoch::begin() {
  steps_.begin_epoch(train_.size());
  order_.copy_(train_.draw_order());
  position_.zero_();
}

/// Trains on this rank's share of `count` samples of `order`, starting at `first`.
void GraphEpoch::run_step(const at::Tensor& order, std::int64_t first, std::int64_t count) {
  const RankShare share = train_.share();
  const at::Tensor own = order.narrow(0, first + share.first(count), share.size(count));
  steps_.run_step(train_.gather(own), count);
}

std::int64_t GraphEpoch::queue_part() {
  begin();
  (block_ ? block_ : tail_)->replay();
  return block_ ? shape_.block_steps : shape_.tail_steps;
}

void GraphEpoch::queue(const OnSteps& on_steps) {
  begin();
  for (std::int64_t i = 0; i < shape_.blocks; ++i) {
    block_->replay();
    on_steps(shape_.block_steps);
  }
  if (shape_.tail_steps > 0) {
    tail_->replay();
    on_steps(shape_.tail_steps);
  }
  steps_.end_epoch();
}

std::string GraphEpoch::description() const {
  if (shape_.blocks == 0) return fmt::format("{} steps in one graph", shape_.tail_steps);
  return fmt::format("{} blocks of {} steps and a tail of {}", shape_.blocks, shape_.block_steps,
                     shape_.tail_steps);
}

}  // namespace gpubench
