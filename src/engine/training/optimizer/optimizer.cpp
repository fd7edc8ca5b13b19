#include "engine/training/optimizer/optimizer.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <ATen/autocast_mode.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_copy.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {

Numerics find_numerics(Precision precision) {
  Numerics numerics;
  numerics.is_tf32_allowed = precision == Precision::kTf32;
  numerics.is_loss_scaled = precision == Precision::kFp16 || precision == Precision::kAmpFp16;
  if (precision == Precision::kBf16) numerics.type = at::kBFloat16;
  if (precision == Precision::kFp16) numerics.type = at::kHalf;
  if (precision == Precision::kAmpBf16) numerics.autocast = at::kBFloat16;
  if (precision == Precision::kAmpFp16) numerics.autocast = at::kHalf;
  return numerics;
}

Autocast::Autocast(at::DeviceType device, std::optional<at::ScalarType> type)
    : device_(device), is_on_(type.has_value()) {
  if (!is_on_) return;
  was_on_ = at::autocast::is_autocast_enabled(device_);
  former_type_ = at::autocast::get_autocast_dtype(device_);
  // The type first: it may be refused, and autocast must not stay on then.
  at::autocast::set_autocast_dtype(device_, *type);
  at::autocast::set_autocast_enabled(device_, true);
  at::autocast::increment_nesting();
}

Autocast::~Autocast() {
  if (!is_on_) return;
  if (at::autocast::decrement_nesting() == 0) at::autocast::clear_cache();
  at::autocast::set_autocast_enabled(device_, was_on_);
  at::autocast::set_autocast_dtype(device_, former_type_);
}

namespace {

// As LibTorch's Python side has them.
constexpr double kInitialScale = 65536;
constexpr double kGrowth = 2;
constexpr double kBackoff = 0.5;
constexpr std::int64_t kStepsToGrowth = 2000;

}  // namespace

LossScaler::LossScaler(c10::Device device)
    : scale_(at::full({1}, kInitialScale, at::TensorOptions(device).dtype(at::kFloat))),
      growth_tracker_(at::zeros({1}, at::TensorOptions(device).dtype(at::kInt))),
      found_inf_(at::zeros({1}, at::TensorOptions(device).dtype(at::kFloat))) {}

void LossScaler::unscale(std::vector<at::Tensor>& gradients) {
  found_inf_.zero_();
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, scale_.reciprocal());
}

void LossScaler::update() {
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, kGrowth, kBackoff, kStepsToGrowth);
}

namespace {

// Keeps the factor finite where all gradients are zero; the value of torch.nn.utils.clip_grad_norm_.
constexpr double kNormEpsilon = 1e-6;

/// Scales all gradients, in place, by min(1, largest / (norm + 1e-6)), `norm` being the Euclidean norm over
/// all of them together (Pascanu et al., "On the difficulty of training recurrent neural networks", 2013).
/// Never waits for the device.
void clip_gradients(std::vector<at::Tensor>& gradients, double largest_norm) {
  const at::Tensor norm =
      at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, /*ord=*/2)), /*ord=*/2);
  // A factor of 1 costs a multiplication; to leave it out, the host would have to know the norm.
  at::_foreach_mul_(gradients, norm.add(kNormEpsilon).reciprocal_().mul_(largest_norm).clamp_max_(1));
}

using Tensors = std::vector<at::Tensor>;

Tensors zeros_like(const Tensors& tensors) {
  return mapped(tensors, [](const at::Tensor& tensor) { return at::zeros_like(tensor); });
}

bool is_fp32(const at::Tensor& tensor) { return tensor.scalar_type() == at::kFloat; }

at::Tensor fp32_copy(const at::Tensor& tensor) {
  return tensor.detach().to(tensor.options().dtype(at::kFloat), /*non_blocking=*/false, /*copy=*/true,
                            at::MemoryFormat::Preserve);
}

Tensors list_gradients(const Tensors& parameters) {
  return mapped(parameters, [](const at::Tensor& parameter) { return parameter.grad(); });
}

}  // namespace

Optimizer::Optimizer(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler,
                     std::size_t step_counters)
    : recipe_name_(make_name(group.recipe)),
      kernel_(kernel),
      parameters_(group.parameters),
      masters_(parameters_),
      learning_rate_(find_learning_rate(group.recipe)),
      epoch_decay_(group.epoch_decay),
      clip_norm_(group.clip_norm),
      scaler_(scaler) {
  for (at::Tensor& master : masters_) {
    if (is_fp32(master)) continue;
    copied_.push_back(master);
    copies_.push_back(master = fp32_copy(master));
  }
  copy_gradients_ = zeros_like(copies_);
  const at::TensorOptions scalar(masters_.at(0).options());
  while (step_counters_.size() < step_counters) step_counters_.push_back(at::zeros({}, scalar));
  if (epoch_decay_ != 1) decaying_rate_ = at::full({}, learning_rate_, scalar);
}

void Optimizer::clear_gradients() {
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad() = at::Tensor();
}

void Optimizer::step() {
  const at::NoGradGuard no_grad;
  Tensors gradients = fp32_gradients();
  if (scaler_ != nullptr) scaler_->unscale(gradients);
  if (clip_norm_ > 0) clip_gradients(gradients, clip_norm_);
  at::_foreach_add_(step_counters_, 1);
  update(gradients);
  if (scaler_ != nullptr) {
    // A step that was not made does not count.
    at::_foreach_sub_(step_counters_, Tensors(step_counters_.size(), scaler_->found_inf().squeeze(0)));
    // At once, and not once for all groups of a step: each group's loss is scaled, and its gradients are
    // unscaled, by the factor of then.
    scaler_->update();
  }
  if (!copied_.empty()) at::_foreach_copy_(copied_, copies_);
}

Tensors Optimizer::fp32_gradients() const {
  Tensors gradients = list_gradients(parameters_);
  if (copied_.empty()) return gradients;
  at::_foreach_copy_(copy_gradients_, list_gradients(copied_));
  auto copy = copy_gradients_.begin();
  for (at::Tensor& gradient : gradients) {
    if (!is_fp32(gradient)) gradient = *copy++;
  }
  return gradients;
}

void Optimizer::end_epoch() {
  if (decaying_rate_.defined()) decaying_rate_.mul_(epoch_decay_);
}

std::int64_t Optimizer::steps_made() const { return std::llround(step_counters_.front().item<float>()); }

Tensors Optimizer::state() const {
  Tensors all = step_counters_;
  append(all, copies_);
  if (decaying_rate_.defined()) all.push_back(decaying_rate_);
  for (const Tensors& added : added_state_) append(all, added);
  return all;
}

std::string Optimizer::description() const {
  std::string text = fmt::format("{} ({}", recipe_name_, is_fused() ? "fused" : "foreach");
  text += !copied_.empty() ? ", fp32 copies of the parameters)" : ")";
  if (clip_norm_ > 0) text += fmt::format(", gradients clipped to norm {}", clip_norm_);
  if (epoch_decay_ != 1) text += fmt::format(", learning rate x {} an epoch", epoch_decay_);
  return text;
}

Tensors& Optimizer::add_state() { return added_state_.emplace_back(zeros_like(masters_)); }

void Optimizer::descend(Tensors& directions) {
  if (!decaying_rate_.defined()) return at::_foreach_add_(masters_, directions, -learning_rate_);
  at::_foreach_mul_(directions, decaying_rate_);
  at::_foreach_sub_(masters_, directions);
}

std::optional<at::Tensor> Optimizer::found_inf() const {
  if (scaler_ == nullptr) return std::nullopt;
  return scaler_->found_inf();
}

std::optional<at::Tensor> Optimizer::is_left_out() const {
  if (scaler_ == nullptr) return std::nullopt;
  return scaler_->found_inf().squeeze(0).to(at::kBool);
}

void Optimizer::drop_left_out(Tensors& gradients) const {
  const auto is_dropped = is_left_out();
  if (!is_dropped) return;
  for (at::Tensor& gradient : gradients) gradient.masked_fill_(*is_dropped, 0);
}

void Optimizer::fade(Tensors& means, double rate) const {
  if (const auto is_kept = is_left_out())
    at::_foreach_mul_(means, at::full({}, rate, means.front().options()).masked_fill_(*is_kept, 1));
  else
    at::_foreach_mul_(means, rate);
}

}  // namespace gpubench
