#pragma once
// Parameters and a fixed sequence of gradients, for tests of optimisers against their formulas.

#include <cmath>
#include <vector>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/allclose.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/randn_like.h>

#include "engine/training/optimizer/optimizer.h"
#include "support/catch.h"

namespace gpubench::test {

using Tensors = std::vector<at::Tensor>;

inline Tensors doubles(const Tensors& tensors) {
  Tensors copies;
  for (const at::Tensor& tensor : tensors) copies.push_back(tensor.detach().to(at::kDouble, false, true));
  return copies;
}

struct Problem {
  static constexpr int kSteps = 6;
  static constexpr int kStepsPerEpoch = 2;

  Problem() {
    at::manual_seed(7);
    for (const std::int64_t size : {1, 17, 300}) start.push_back(at::randn({size}));
    for (int step = 0; step < kSteps; ++step) {
      Tensors step_gradients;
      for (const at::Tensor& parameter : start) step_gradients.push_back(at::randn_like(parameter));
      gradients.push_back(step_gradients);
    }
  }

  Tensors parameters(at::ScalarType type = at::kFloat) const {
    Tensors copies;
    for (const at::Tensor& parameter : start) {
      copies.push_back(parameter.to(type, false, true).requires_grad_());
    }
    return copies;
  }

  /// Sets each step's gradients on `parameters`, in their type, and calls `step`; after each epoch,
  /// `end_epoch`.
  template <class Step, class EndEpoch>
  void run(Tensors& parameters, Step step, EndEpoch end_epoch) const {
    for (int i = 0; i < kSteps; ++i) {
      set_gradients(parameters, i);
      step();
      if ((i + 1) % kStepsPerEpoch == 0) end_epoch();
    }
  }
  template <class Step>
  void run(Tensors& parameters, Step step) const {
    run(parameters, step, [] {});
  }

  void set_gradients(Tensors& parameters, int step, double factor = 1) const {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      parameters[i].mutable_grad() =
          gradients[static_cast<std::size_t>(step)][i].mul(factor).to(parameters[i].scalar_type());
    }
  }

  /// The learning rate of a step, where it decays.
  static double rate(double first, double epoch_decay, int step) {
    return first * std::pow(epoch_decay, step / kStepsPerEpoch);
  }

  Tensors start;
  std::vector<Tensors> gradients;
};

/// Compares with what a formula in double precision says.
inline void check_close(const Tensors& actual, const Tensors& expected, double relative = 1e-5,
                        double absolute = 1e-6) {
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(at::allclose(actual[i].detach().to(at::kDouble), expected[i].to(at::kDouble), relative, absolute));
  }
}

}  // namespace gpubench::test
