#include "engine/training/precision_probe.h"

#include <algorithm>

#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include "engine/training/failure.h"
#include "engine/training/input_format.h"
#include "engine/training/model_format.h"
#include "engine/training/tf32.h"
#include "engine/training/trainer.h"

namespace gpubench {
namespace {

constexpr std::int64_t kSamples = 4;

Batch random_batch(const DataSpec& spec, std::int64_t samples, c10::Device device, at::ScalarType type) {
  std::vector<std::int64_t> shape{samples};
  shape.insert(shape.end(), spec.sample_shape.begin(), spec.sample_shape.end());
  const auto options = at::TensorOptions(device);
  return {at::rand(shape, options.dtype(at::kFloat)).to(type),
          at::zeros({samples}, options.dtype(at::kLong))};
}

void try_step(const Case& c, c10::Device device) {
  const Numerics numerics = numerics_of(c.mode.precision);
  const auto model = c.model->build();
  to_device(*model, device, {numerics.type, /*is_channels_last=*/false});
  const std::int64_t samples = std::min(c.batch_size, kSamples);
  Trainer trainer(*model, {samples, 0, numerics}, device);
  trainer.begin_epoch(samples);
  trainer.train_on(random_batch(c.model->spec, samples, device, numerics.type));
  trainer.epoch_metrics();  // Waits, so that what fails on the device fails here.
}

}  // namespace

void require_precision(const Case& c, const c10::Device& device) {
  if (c.mode.precision == Precision::kFp32) return;
  const std::string name = "--precision " + to_string(c.mode.precision) + " on " + c.device;
  if (c.mode.precision == Precision::kTf32) {
    if (!has_tf32(device)) throw Unsupported(name + ": products are the same as in strict fp32");
    return;
  }
  try {
    try_step(c, device);
  } catch (const std::exception& error) {
    const Failure failure = classify(error);
    if (failure.status == CaseStatus::kOutOfMemory) throw;
    throw Unsupported(name + ": " + failure.message);
  }
}

}  // namespace gpubench
