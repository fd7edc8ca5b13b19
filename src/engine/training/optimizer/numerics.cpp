#include "engine/training/optimizer/numerics.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/_amp_foreach_non_finite_check_and_unscale.h>
#include <ATen/ops/_amp_update_scale.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>

namespace gpubench {

Numerics numerics_of(Precision precision) {
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

}  // namespace gpubench
