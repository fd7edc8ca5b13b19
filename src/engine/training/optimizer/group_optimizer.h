#pragma once
// What the optimiser of every recipe does around its update.

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "engine/training/optimizer/optimizer.h"

namespace gpubench {

/// Holds a group's parameters, their fp32 copies where they are of another type, the learning rate and the
/// step count; unscales and clips gradients. Only what a recipe does with them is left to its own class.
class GroupOptimizer : public Optimizer {
 public:
  void clear_gradients() override;
  void step() override;
  void end_epoch() override;
  std::int64_t steps_made() const override;
  bool can_be_recorded() const override;
  std::vector<at::Tensor> state() const override;
  std::string description() const override;

 protected:
  using Tensors = std::vector<at::Tensor>;

  /// What the description begins with.
  struct Name {
    const char* recipe;
    UpdateKernel kernel;
  };

  /// Counts updates on the device in `step_counters` scalars, all equal: a fused kernel may read one for each
  /// parameter. With none, who derives counts for itself.
  GroupOptimizer(const Name& name, const ParameterGroup& group, LossScaler* scaler,
                 std::size_t step_counters);

  /// One update of masters() from their gradients, which it may change.
  virtual void update(Tensors& gradients) = 0;

  /// What is updated: the parameters themselves, or their copies.
  const Tensors& masters() const { return masters_; }
  /// Zeros of the masters' shapes, which training is to change. Lives as long as this.
  Tensors& add_state();
  const Tensors& step_counters() const { return step_counters_; }

  /// Calls `use` with the learning rate: a number, or, where it decays, a scalar on the device, which a
  /// recorded step reads anew each time.
  template <class Use>
  void with_rate(Use use) const {
    if (decaying_rate_.defined())
      use(decaying_rate_);
    else
      use(learning_rate_);
  }

  /// Moves the masters by `directions` times the learning rate, downwards. May change `directions`.
  void descend(Tensors& directions);

  /// For a fused kernel: on the device, 1 where it must change nothing; unset where the loss is not scaled.
  std::optional<at::Tensor> found_inf() const;
  /// For other kernels: the same as a boolean scalar,
  std::optional<at::Tensor> is_left_out() const;
  /// and zeros in place of gradients that are to change nothing.
  void drop_left_out(Tensors& gradients) const;

 private:
  Tensors fp32_gradients() const;
  void finish_scaled_step();

  Name name_;
  Tensors parameters_;
  bool has_masters_;
  Tensors masters_;
  Tensors master_gradients_;
  std::list<Tensors> added_state_;
  Tensors step_counters_;
  double learning_rate_;
  double epoch_decay_;
  at::Tensor decaying_rate_;  // Undefined where the rate stays as it is.
  double clip_norm_;
  LossScaler* scaler_;
};

}  // namespace gpubench
