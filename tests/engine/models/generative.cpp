#include "generative.h"

#include <map>

#include <ATen/core/grad_mode.h>
#include <ATen/ops/isfinite.h>

#include "support/catch.h"
#include "tiny.h"
#include "workloads/cases/session.h"

namespace gpubench::test {
namespace {

/// Returns a batch like those of the harness.
Batch formatted(Batch batch, const DataSpec& spec, const InputFormat& format) {
  if (puts_channels_last(format, spec.sample_shape))
    batch.inputs = batch.inputs.permute({0, 2, 3, 1}).contiguous().permute({0, 3, 1, 2});
  batch.inputs = batch.inputs.to(format.type);
  return batch;
}

void check_sums(const Model& model, const at::Tensor& sums) {
  CHECK(sums.sizes() == at::IntArrayRef{static_cast<std::int64_t>(model.metrics().size())});
  CHECK(sums.scalar_type() == at::kFloat);
  CHECK_FALSE(sums.requires_grad());
  CHECK(at::isfinite(sums).all().item<bool>());
}

void check_format(const std::string& name, const InputFormat& format) {
  INFO(name << " " << c10::toString(format.type) << (format.is_channels_last ? " channels last" : ""));
  const auto model = built(name);
  to_device(*model, at::kCPU, format);
  const Batch batch = formatted(random_batch(name, 2), models().require(name, "").spec, format);
  Descent step(*model, 1e-6);
  check_sums(*model, seeded_step(*model, batch, step));
  check_sums(*model, evaluation_sums(*model, batch));
}

}  // namespace

ModelSizes small_sizes(const ModelEntry& entry) {
  static const std::map<std::string, ModelSizes> kSmall{
      {"gpt2", {{"layers", 2}, {"heads", 2}, {"width", 32}, {"context", 16}, {"vocabulary", 101}}},
      {"vit", {{"layers", 2}, {"heads", 2}, {"width", 32}}}};
  const auto found = kSmall.find(entry.name);
  return all_sizes(entry, found == kSmall.end() ? ModelSizes() : found->second);
}

std::shared_ptr<Model> built(const std::string& name) {
  at::manual_seed(1);
  const ModelEntry& entry = models().require(name, "");
  return entry.build(small_sizes(entry));
}

Batch random_batch(const std::string& name, std::int64_t count) {
  at::manual_seed(2);
  const ModelEntry& entry = models().require(name, "");
  return example_batch(spec_at(entry, small_sizes(entry)), count, {});
}

void fill(const std::vector<at::Tensor>& parameters, double value) {
  const at::NoGradGuard no_grad;
  for (const at::Tensor& parameter : parameters) parameter.fill_(value);
}

float value(const at::Tensor& sums, std::int64_t metric) { return sums[metric].item<float>(); }

at::Tensor Descent::minimise(std::size_t group, const std::function<at::Tensor()>& compute_loss) {
  const at::Tensor loss = compute_loss();
  loss.backward();
  const at::NoGradGuard no_grad;
  for (at::Tensor& parameter : groups_.at(group).parameters) {
    if (group == only_.value_or(group)) parameter.sub_(parameter.grad(), rate_);
    parameter.mutable_grad() = at::Tensor();
  }
  return loss.detach();
}

at::Tensor step_sums(Model& model, const Batch& batch, Step& step) {
  return metric_sums(model, model.train_step(batch, step), batch.inputs.size(0));
}

at::Tensor evaluation_sums(Model& model, const Batch& batch) {
  const at::NoGradGuard no_grad;
  model.eval();
  return metric_sums(model, model.evaluate(batch), batch.inputs.size(0));
}

at::Tensor seeded_step(Model& model, const Batch& batch, Step& step) {
  at::manual_seed(3);
  return step_sums(model, batch, step);
}

void check_formats(const std::string& name) {
  check_format(name, {at::kFloat, /*is_channels_last=*/true});
  check_format(name, {at::kBFloat16, /*is_channels_last=*/false});
}

}  // namespace gpubench::test
