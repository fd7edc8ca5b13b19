// Every operation of the catalog: correct results pass its check, wrong ones fail.

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/autograd.h>

#include "engine/ops/quick_run.h"
#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::catalog_test {

namespace {

at::Generator random_numbers() { return at::detail::createCPUGenerator(7); }

/// Inputs in fp64 and the result of the operation.
struct Sample {
  Tensors inputs;
  at::Tensor result;
};

Sample make_sample(const OpEntry& op, const OpCase& c) {
  const at::NoGradGuard guard;
  Sample sample{op.inputs(c, random_numbers()), {}};
  sample.result = op.call(sample.inputs, c);
  return sample;
}

double catch_error(const OpEntry& op, const OpCase& c, const Sample& sample, const at::Tensor& result) {
  return op.error(sample.inputs, result, c);
}

/// Returns the result with the last value changed by a fifth of the largest.
at::Tensor with_one_wrong_value(const at::Tensor& result) {
  at::Tensor wrong = result.clone(at::MemoryFormat::Contiguous);
  at::Tensor last = wrong.view(-1)[-1];
  last.copy_(wrong.is_floating_point() ? last + 0.2 * wrong.abs().max().clamp_min(1) : (last + 1) % 2);
  return wrong;
}

/// Returns the derivative of the weighted sum of the result in the direction `steps`.
double change_along(const OpEntry& op, const OpCase& c, const Tensors& inputs, const Tensors& steps,
                    const at::Tensor& weights) {
  constexpr double kStep = 1e-6;
  const auto value = [&](double scale) {
    Tensors moved;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      moved.push_back(steps[i].defined() ? inputs[i] + scale * steps[i] : inputs[i]);
    }
    return (op.call(moved, c) * weights).sum().item<double>();
  };
  return (value(kStep) - value(-kStep)) / (2 * kStep);
}

Tensors steps_for(const Tensors& inputs) {
  Tensors steps;
  for (const at::Tensor& input : inputs) {
    steps.push_back(input.is_floating_point() ? at::randn(input.sizes(), random_numbers(), input.options())
                                              : at::Tensor());
  }
  return steps;
}

}  // namespace

TEST_CASE("every operation is correct and timed at its small sizes") {
  for (const OpEntry& op : ops()) {
    for (const OpCase& c : op.small_cases) {
      const OpRecord record = run_on_cpu(op, quick_request(c));
      INFO(op.name << " " << to_string(c) << ": " << record.status_reason);
      CHECK(record.status == RowStatus::kOk);
      CHECK(record.call_seconds.size() == 3);
      CHECK(record.error.value() <= record.tolerance.value());
      CHECK(record.tolerance.value() < 0.01);
      CHECK(record.traffic.value().value > 0);
    }
  }
}

TEST_CASE("every operation except argmax has correct gradients") {
  for (const OpEntry& op : ops()) {
    OpPoint request = quick_request(op.small_cases.front());
    request.direction = OpDirection::kForwardBackward;
    const OpRecord record = run_on_cpu(op, request);
    INFO(op.name << ": " << record.status_reason);
    CHECK(record.status == (op.name == "argmax" ? RowStatus::kUnsupported : RowStatus::kOk));
    CHECK(record.flop == 3 * op.flop(op.small_cases.front()));
  }
}

TEST_CASE("the reference gradients in fp64 match finite differences") {
  for (const OpEntry& op : ops()) {
    // argmax has no gradient; scatter gives all rows with one index the gradient of that index.
    if (op.name == "argmax" || op.name == "scatter") continue;
    const OpCase& c = op.small_cases.front();
    const Tensors inputs = op.inputs(c, random_numbers());
    const Tensors steps = steps_for(inputs);
    const at::Tensor result = make_sample(op, c).result;
    const at::Tensor weights = at::randn(result.sizes(), random_numbers(), result.options());
    const double expected = [&] {
      const at::NoGradGuard guard;
      return change_along(op, c, inputs, steps, weights);
    }();
    Tensors differentiated;
    for (const at::Tensor& input : inputs)
      if (input.is_floating_point()) differentiated.push_back(input.requires_grad_());
    const Tensors gradients = torch::autograd::grad({op.call(inputs, c)}, differentiated, {weights});
    double found = 0;
    double scale = 1;
    std::size_t next = 0;
    for (const at::Tensor& step : steps) {
      if (!step.defined()) continue;
      const at::Tensor product = gradients.at(next++) * step;
      found += product.sum().item<double>();
      scale += product.abs().sum().item<double>();
    }
    INFO(op.name << ": " << found << ", but by differences " << expected);
    CHECK(std::abs(found - expected) < 1e-6 * scale);
  }
}

TEST_CASE("the check of every operation rejects a single wrong value, constants and wrong shapes") {
  for (const OpEntry& op : ops()) {
    for (const OpCase& c : op.small_cases) {
      const Sample sample = make_sample(op, c);
      INFO(op.name << " " << to_string(c));
      CHECK(catch_error(op, c, sample, sample.result) < 1e-12);
      CHECK(catch_error(op, c, sample, with_one_wrong_value(sample.result)) > 0.05);
      CHECK(catch_error(op, c, sample, at::zeros_like(sample.result)) > 0.05);
      CHECK(catch_error(op, c, sample, sample.result.unsqueeze(0)) > 0.05);
    }
  }
}

TEST_CASE("inputs without random numbers have sizes and types, but no values") {
  for (const OpEntry& op : ops()) {
    const OpCase& c = op.small_cases.front();
    const Tensors outlines = op.inputs(c, std::nullopt);
    const Tensors inputs = op.inputs(c, random_numbers());
    INFO(op.name);
    REQUIRE(outlines.size() == inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      CHECK(outlines[i].is_meta());
      CHECK(outlines[i].sizes() == inputs[i].sizes());
      CHECK(outlines[i].scalar_type() == inputs[i].scalar_type());
    }
  }
}

TEST_CASE("every operation is correct or unsupported on the CPU for every type") {
  for (const OpEntry& op : ops()) {
    for (const OpType type : all_op_types()) {
      const OpRecord record = run_on_cpu(op, quick_request(op.small_cases.front(), type));
      INFO(op.name << " " << to_string(type) << ": " << to_string(record.status) << " "
                   << record.status_reason);
      CHECK((record.status == RowStatus::kOk || record.status == RowStatus::kUnsupported));
      CHECK(record.status_reason.empty() == (record.status == RowStatus::kOk));
    }
  }
}

TEST_CASE("operations reject unsuitable sizes") {
  const std::pair<const char*, const char*> bad[] = {{"matmul", "2x3 4x5"},
                                                     {"argmax", "4x4"},
                                                     {"argmax", "4x4 axis=2"},
                                                     {"conv2d", "1x4x4x3 8x5x5x3"},
                                                     {"linear", "2x3x4 5x6 6"},
                                                     {"concat", "2x3 3x3 axis=1"},
                                                     {"attention", "2x3x4x5 2x3x4x5"},
                                                     {"prelu", "2x3 3"},
                                                     {"gather", "4x4"},
                                                     {"relu", "4x4 axis=0"},
                                                     {"relu", "9223372036854775807x2"}};
  for (const auto& [name, sizes] : bad) {
    INFO(name << " " << sizes);
    const OpPoint request = quick_request(sizes);
    CHECK_THROWS_AS(run_on_cpu(ops().require(name, "--op"), request), Error);
  }
}

}  // namespace gpubench::test::catalog_test
