#include <ATen/ops/_fused_sgd.h>

#include "engine/training/optimizer/group_optimizer.h"

namespace gpubench {
namespace {

class Sgd : public GroupOptimizer {
 public:
  Sgd(const ParameterGroup& group, LossScaler* scaler) : GroupOptimizer(group, scaler, /*step_counters=*/1) {}

 protected:
  std::string recipe_name() const override { return "sgd"; }
};

class FusedSgd : public Sgd {
 public:
  using Sgd::Sgd;

 protected:
  void update(Tensors& gradients) override {
    with_rate([&](const auto& learning_rate) {
      at::_fused_sgd_(masters(), gradients, /*momentum_buffer_list=*/{}, /*weight_decay=*/0, /*momentum=*/0,
                      learning_rate, /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                      /*is_first_step=*/false, /*grad_scale=*/{}, found_inf());
    });
  }

  UpdateKernel kernel() const override { return UpdateKernel::kFused; }
};

class ForeachSgd : public Sgd {
 public:
  using Sgd::Sgd;

 protected:
  void update(Tensors& gradients) override {
    drop_left_out(gradients);
    descend(gradients);
  }

  UpdateKernel kernel() const override { return UpdateKernel::kForeach; }
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler) {
  if (kernel == UpdateKernel::kFused) return std::make_unique<FusedSgd>(group, scaler);
  return std::make_unique<ForeachSgd>(group, scaler);
}

}  // namespace gpubench
