#pragma once
// What a precision means for a training step.

#include <optional>
#include <vector>

#include <ATen/core/Tensor.h>

#include "gpubench/record/training_mode.h"

namespace gpubench {

/// The settings behind a Precision.
struct Numerics {
  at::ScalarType type = at::kFloat;        ///< Of parameters and inputs.
  std::optional<at::ScalarType> autocast;  ///< What autocast casts to; unset: there is no autocast.
  bool is_loss_scaled = false;             ///< fp16 cannot hold small gradients.
  bool is_tf32_allowed = false;
};

Numerics numerics_of(Precision precision);

/// Switches autocast on for its thread while it lives; does nothing where `type` is unset.
class Autocast {
 public:
  Autocast(at::DeviceType device, std::optional<at::ScalarType> type);
  ~Autocast();
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  at::DeviceType device_;
  bool is_on_;
  bool was_on_ = false;
  at::ScalarType former_type_ = at::kFloat;
};

/// Multiplies the loss so that gradients fit into fp16, and follows overflows with the factor (Micikevicius
/// et al., "Mixed Precision Training", 2018). Everything stays on the device: nothing is read back.
class LossScaler {
 public:
  explicit LossScaler(c10::Device device);

  at::Tensor scaled(const at::Tensor& loss) const { return loss.mul(scale_); }

  /// Divides the gradients by the factor and notes whether one of them is not finite.
  void unscale(std::vector<at::Tensor>& gradients);

  /// 1 on the device where the last gradients were not finite, so that the step must change nothing; else 0.
  const at::Tensor& found_inf() const { return found_inf_; }

  /// Halves the factor after an overflow, doubles it after many steps without one.
  void update();

  /// What training changes of it.
  std::vector<at::Tensor> state() const { return {scale_, growth_tracker_}; }

 private:
  at::Tensor scale_;
  at::Tensor growth_tracker_;
  at::Tensor found_inf_;
};

}  // namespace gpubench
