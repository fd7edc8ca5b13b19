#include "engine/training/precision_probe.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/torch/failure.h"
#include "engine/torch/tf32.h"
#include "engine/training/input/example_batch.h"
#include "engine/training/model_format.h"
#include "engine/training/trainer.h"

namespace gpubench {
namespace {

constexpr std::int64_t kSamples = 4;

void try_step(const Case& c, c10::Device device) {
  const Numerics numerics = numerics_of(c.mode.precision);
  const auto model = c.model->build(c.sizes);
  to_device(*model, device, {numerics.type, /*is_channels_last=*/false});
  const std::int64_t samples = std::min(c.batch_size, kSamples);
  Trainer trainer(*model, {samples, 0, numerics}, device);
  trainer.begin_epoch(samples);
  trainer.train_on(example_batch(spec_of(c), samples, at::TensorOptions(device).dtype(numerics.type)));
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
