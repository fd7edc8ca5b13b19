#include "workloads/train/optimizer/optimizer.h"

#include <cmath>
#include <iterator>
#include <numbers>

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {

Numerics find_numerics(Precision precision) {
  Numerics numerics;
  numerics.is_loss_scaled = precision == Precision::kFp16 || precision == Precision::kAmpFp16;
  if (precision == Precision::kBf16) numerics.type = at::kBFloat16;
  if (precision == Precision::kFp16) numerics.type = at::kHalf;
  if (precision == Precision::kAmpBf16) numerics.autocast = at::kBFloat16;
  if (precision == Precision::kAmpFp16) numerics.autocast = at::kHalf;
  return numerics;
}

Autocast::Autocast(at::DeviceType device, std::optional<at::ScalarType> type)
    : device_(device), is_on_(type.has_value() && device != at::kMeta) {
  if (type && device == at::kMeta) meta_.emplace();
  if (!is_on_) return;
  was_on_ = at::autocast::is_autocast_enabled(device_);
  former_type_ = at::autocast::get_autocast_dtype(device_);
  // Sets the type first: it may throw, and autocast must then stay off.
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

// All values as in PyTorch's GradScaler.
LossScaler::LossScaler(c10::Device device)
    : scale_(at::full({1}, 65536.0, at::TensorOptions(device).dtype(at::kFloat))),
      growth_tracker_(at::zeros({1}, at::TensorOptions(device).dtype(at::kInt))),
      found_inf_(at::zeros({1}, at::TensorOptions(device).dtype(at::kFloat))) {}

void LossScaler::unscale(std::vector<at::Tensor>& gradients) {
  found_inf_.zero_();
  at::_amp_foreach_non_finite_check_and_unscale_(gradients, found_inf_, scale_.reciprocal());
}

void LossScaler::update() {
  at::_amp_update_scale_(scale_, growth_tracker_, found_inf_, /*scale_growth_factor=*/2,
                         /*scale_backoff_factor=*/0.5, /*growth_interval=*/2000);
}

namespace {

/// Scales gradients in place by min(1, largest / (Euclidean norm of all + epsilon)) (Pascanu et al., "On the
/// difficulty of training recurrent neural networks", 2013). Never waits for the device.
void clip_gradients(std::vector<at::Tensor>& gradients, double largest_norm) {
  constexpr double kEpsilon = 1e-6;  // As in torch.nn.utils.clip_grad_norm_.
  const at::Tensor norm =
      at::linalg_vector_norm(at::stack(at::_foreach_norm(gradients, /*ord=*/2)), /*ord=*/2);
  // Multiplies even by 1: a condition would need to read the norm on the host.
  at::_foreach_mul_(gradients, norm.add(kEpsilon).reciprocal_().mul_(largest_norm).clamp_max_(1));
}

using Tensors = std::vector<at::Tensor>;

Tensors zeros_like(const Tensors& tensors) {
  return mapped(tensors, [](const at::Tensor& tensor) { return at::zeros_like(tensor); });
}

bool is_fp32(const at::Tensor& tensor) { return tensor.scalar_type() == at::kFloat; }

Tensors list_gradients(const Tensors& parameters) {
  return mapped(parameters, [](const at::Tensor& parameter) { return parameter.grad(); });
}

std::string make_name(const Recipe& recipe) {
  const auto* const adam = std::get_if<AdamRecipe>(&recipe);
  if (adam != nullptr && adam->weight_decay > 0) return "adamw";
  static constexpr const char* kNames[] = {"adam", "sgd", "adadelta"};
  static_assert(std::size(kNames) == std::variant_size_v<Recipe>);
  return kNames[recipe.index()];
}

/// Returns the flag for fused kernels: on the device, 1 if the step must be skipped; unset without scaling.
std::optional<at::Tensor> found_inf(const LossScaler* scaler) {
  return scaler != nullptr ? std::optional(scaler->found_inf()) : std::nullopt;
}

}  // namespace

Optimizer::Optimizer(const ParameterGroup& group, UpdateKernel kernel, LossScaler* scaler)
    : recipe_(group.recipe),
      kernel_(kernel),
      parameters_(group.parameters),
      masters_(parameters_),
      learning_rate_(find_learning_rate(group.recipe)),
      epoch_decay_(group.epoch_decay),
      schedule_(group.schedule),
      clip_norm_(group.clip_norm),
      scaler_(scaler) {
  for (at::Tensor& master : masters_) {
    if (is_fp32(master)) continue;
    copied_.push_back(master);
    master = master.detach().to(master.options().dtype(at::kFloat), /*non_blocking=*/false, /*copy=*/true,
                                at::MemoryFormat::Preserve);
    copies_.push_back(master);
  }
  copy_gradients_ = zeros_like(copies_);
  if (!std::holds_alternative<SgdRecipe>(recipe_)) means_ = {zeros_like(masters_), zeros_like(masters_)};
  const bool needs_each = std::holds_alternative<AdamRecipe>(recipe_) && kernel == UpdateKernel::kFused;
  const at::TensorOptions scalar(masters_.at(0).options());
  step_counters_.resize(needs_each ? parameters_.size() : 1);
  for (at::Tensor& counter : step_counters_) counter = at::zeros({}, scalar);
  if (epoch_decay_ != 1 || !schedule_.is_constant()) decaying_rate_ = at::full({}, learning_rate_, scalar);
  for (std::size_t i = 0; i < masters_.size(); ++i) decayed_[masters_[i].dim() >= 2 ? 0 : 1].push_back(i);
}

void Optimizer::step() {
  const at::NoGradGuard no_grad;
  Tensors gradients = fp32_gradients();
  if (scaler_ != nullptr) scaler_->unscale(gradients);
  if (clip_norm_ > 0) clip_gradients(gradients, clip_norm_);
  at::_foreach_add_(step_counters_, 1);
  if (!schedule_.is_constant()) set_scheduled_rate();
  std::visit([&](const auto& recipe) { update(recipe, gradients); }, recipe_);
  if (scaler_ != nullptr) {
    // A skipped step does not count.
    at::_foreach_sub_(step_counters_, Tensors(step_counters_.size(), scaler_->found_inf().squeeze(0)));
    // Updates per group, since each group's loss and gradients use the current factor.
    scaler_->update();
  }
  if (!copied_.empty()) at::_foreach_copy_(copied_, copies_);
}

/// Computes the rate on the device from the number of updates, so that replayed steps follow the schedule.
void Optimizer::set_scheduled_rate() {
  const at::Tensor& steps = step_counters_.front();
  const auto warmup = static_cast<double>(schedule_.warmup_steps);
  at::Tensor factor = warmup > 0 ? steps.div(warmup).clamp_max_(1) : at::ones_like(steps);
  if (schedule_.total_steps > 0) {
    const double length = static_cast<double>(schedule_.total_steps) - warmup;
    const at::Tensor progress = steps.sub(warmup).div_(length).clamp_(0, 1);
    factor.mul_(progress.mul(std::numbers::pi).cos_().add_(1).div_(2));
  }
  at::mul_out(decaying_rate_, factor, at::full_like(factor, learning_rate_));
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

void Optimizer::update(const SgdRecipe&, Tensors& gradients) {
  if (kernel_ == UpdateKernel::kForeach) {
    zero_if_skipped(gradients);
    return descend(gradients);
  }
  with_rate([&](const auto& learning_rate) {
    at::_fused_sgd_(masters_, gradients, /*momentum_buffer_list=*/{}, /*weight_decay=*/0, /*momentum=*/0,
                    learning_rate, /*dampening=*/0, /*nesterov=*/false, /*maximize=*/false,
                    /*is_first_step=*/false, /*grad_scale=*/{}, found_inf(scaler_));
  });
}

void Optimizer::update_fused(const AdamRecipe& recipe, const Tensors& gradients) {
  const auto update = [&](const Tensors& masters, const Tensors& slopes, const Tensors& moments,
                          const Tensors& square_moments, const Tensors& counters, double weight_decay) {
    with_rate([&](const auto& learning_rate) {
      const auto call = [&](const auto& kernel) {
        kernel(masters, slopes, moments, square_moments, /*max_exp_avg_sqs=*/at::TensorList(), counters,
               learning_rate, recipe.beta1, recipe.beta2, weight_decay, recipe.epsilon,
               /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/std::nullopt, found_inf(scaler_));
      };
      // Fewer devices have the kernel of AdamW.
      if (recipe.weight_decay == 0)
        call([](const auto&... arguments) { at::_fused_adam_(arguments...); });
      else
        call([](const auto&... arguments) { at::_fused_adamw_(arguments...); });
    });
  };
  if (recipe.weight_decay == 0) return update(masters_, gradients, means_[0], means_[1], step_counters_, 0);
  for (const bool is_decayed : {true, false}) {
    const std::vector<std::size_t>& positions = decayed_[is_decayed ? 0 : 1];
    const auto take = [&](const Tensors& all) {
      return mapped(positions, [&](std::size_t i) { return all[i]; });
    };
    if (positions.empty()) continue;
    update(take(masters_), take(gradients), take(means_[0]), take(means_[1]), take(step_counters_),
           is_decayed ? recipe.weight_decay : 0);
  }
}

/// Multiplies the decayed parameters by 1 minus the rate times the decay, unless the step is skipped.
void Optimizer::decay_weights(const AdamRecipe& recipe) {
  if (recipe.weight_decay <= 0 || decayed_[0].empty()) return;
  Tensors masters = mapped(decayed_[0], [this](std::size_t i) { return masters_[i]; });
  const at::Tensor& any = masters.front();
  at::Tensor factor = decaying_rate_.defined()
                          ? decaying_rate_.mul(-recipe.weight_decay).add_(1)
                          : at::full({}, 1 - learning_rate_ * recipe.weight_decay, any.options());
  if (const auto is_skipped = skip_flag()) factor.masked_fill_(*is_skipped, 1);
  at::_foreach_mul_(masters, factor);
}

void Optimizer::update(const AdamRecipe& recipe, Tensors& gradients) {
  auto& [moments, square_moments] = means_;
  if (kernel_ == UpdateKernel::kFused) return update_fused(recipe, gradients);
  decay_weights(recipe);
  // 1 / (1 - beta ^ steps), from the count on the device; the difference itself would lose digits in fp32.
  const auto correction = [&](double beta) {
    return step_counters_.front().mul(std::log(beta)).expm1_().neg_().reciprocal_();
  };
  zero_if_skipped(gradients);
  decay_means(moments, recipe.beta1);
  at::_foreach_add_(moments, gradients, 1 - recipe.beta1);
  average_squares(square_moments, gradients, recipe.beta2);
  Tensors denominators = at::_foreach_sqrt(square_moments);
  at::_foreach_mul_(denominators, correction(recipe.beta2).sqrt_());
  at::_foreach_add_(denominators, recipe.epsilon);
  Tensors directions = at::_foreach_div(moments, denominators);
  at::_foreach_mul_(directions, correction(recipe.beta1));
  zero_if_skipped(directions);
  descend(directions);
}

void Optimizer::update(const AdadeltaRecipe& recipe, Tensors& gradients) {
  auto& [square_gradients, square_updates] = means_;
  const auto roots = [&](const Tensors& means) {
    Tensors result = at::_foreach_add(means, recipe.epsilon);
    at::_foreach_sqrt_(result);
    return result;
  };
  zero_if_skipped(gradients);
  average_squares(square_gradients, gradients, recipe.rho);
  Tensors updates = roots(square_updates);
  at::_foreach_div_(updates, roots(square_gradients));
  at::_foreach_mul_(updates, gradients);
  average_squares(square_updates, updates, recipe.rho);
  descend(updates);
}

/// Subtracts `directions` times the learning rate from the masters. May change `directions`.
void Optimizer::descend(Tensors& directions) {
  if (!decaying_rate_.defined()) return at::_foreach_add_(masters_, directions, -learning_rate_);
  at::_foreach_mul_(directions, decaying_rate_);
  at::_foreach_sub_(masters_, directions);
}

/// Returns found_inf() as a boolean scalar; unset without scaling.
std::optional<at::Tensor> Optimizer::skip_flag() const {
  if (scaler_ == nullptr) return std::nullopt;
  return scaler_->found_inf().squeeze(0).to(at::kBool);
}

void Optimizer::zero_if_skipped(Tensors& tensors) const {
  const auto is_dropped = skip_flag();
  if (!is_dropped) return;
  for (at::Tensor& tensor : tensors) tensor.masked_fill_(*is_dropped, 0);
}

void Optimizer::decay_means(Tensors& means, double rate) const {
  if (const auto is_kept = skip_flag())
    at::_foreach_mul_(means, at::full({}, rate, means.front().options()).masked_fill_(*is_kept, 1));
  else
    at::_foreach_mul_(means, rate);
}

/// Adds the squares of `values`, which are zeros if the step is skipped, to their running means.
void Optimizer::average_squares(Tensors& means, const Tensors& values, double rate) const {
  decay_means(means, rate);
  at::_foreach_addcmul_(means, values, values, 1 - rate);
}

std::int64_t Optimizer::steps_made() const { return std::llround(step_counters_.front().item<float>()); }

Tensors Optimizer::state() const {
  Tensors all = step_counters_;
  append(all, copies_);
  if (decaying_rate_.defined()) all.push_back(decaying_rate_);
  for (const Tensors& means : means_) append(all, means);
  return all;
}

std::string Optimizer::description() const {
  const bool is_fused = kernel_ == UpdateKernel::kFused;
  std::string text = fmt::format("{} ({}", make_name(recipe_), is_fused ? "fused" : "foreach");
  text += !copied_.empty() ? ", fp32 copies of the parameters)" : ")";
  const auto* const adam = std::get_if<AdamRecipe>(&recipe_);
  if (adam != nullptr && adam->weight_decay > 0) text += fmt::format(", weight decay {}", adam->weight_decay);
  if (clip_norm_ > 0) text += fmt::format(", gradients clipped to norm {}", clip_norm_);
  if (epoch_decay_ != 1) text += fmt::format(", learning rate x {} per epoch", epoch_decay_);
  if (schedule_.warmup_steps > 0) text += fmt::format(", {} warm-up steps", schedule_.warmup_steps);
  if (schedule_.total_steps > 0) text += fmt::format(", cosine decay to step {}", schedule_.total_steps);
  return text;
}

std::unique_ptr<Optimizer> make_optimizer(const ParameterGroup& group, c10::Device device,
                                          LossScaler* scaler) {
  const std::string fused = "aten::_fused_" + make_name(group.recipe) + "_";
  const auto key = c10::computeDispatchKey(at::kFloat, at::kStrided, device);
  const auto has_overload = [&](const char* overload) {
    const auto op = c10::Dispatcher::singleton().findSchema({fused, overload});
    return op && op->hasKernelForDispatchKey(key);
  };
  // Fused kernels of MPS do not skip steps with infinite gradients (pytorch pull request 186360).
  const bool is_wrong = device.is_mps() && scaler != nullptr;
  // Decaying learning rates need the overload "tensor_lr".
  const bool is_fused = !is_wrong && has_overload("") && has_overload("tensor_lr");
  return std::make_unique<Optimizer>(group, is_fused ? UpdateKernel::kFused : UpdateKernel::kForeach, scaler);
}

}  // namespace gpubench
