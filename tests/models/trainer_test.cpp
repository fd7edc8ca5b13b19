#include "engine/training/trainer.h"

#include <algorithm>

#include <ATen/ops/arange.h>

#include "support/catch.h"
#include "tiny.h"

using namespace gpubench;
using namespace gpubench::test;

TEST_CASE("resident inputs are the bytes over 255, targets the labels") {
  const Dataset data = tiny_dataset();
  const ResidentSplit split(data.train, 0, at::kCPU);
  const Batch batch = split.slice(7, 2);
  CHECK(split.size() == 50);
  CHECK(batch.inputs.sizes() == at::IntArrayRef{2, 1, 2, 2});
  const auto byte = static_cast<unsigned char>(data.train.inputs.bytes[7 * 4 + 1]);
  CHECK(batch.inputs[0][0][0][1].item<float>() == approx(byte / 255.0));
  const auto* labels = reinterpret_cast<const std::int64_t*>(data.train.targets.bytes.data());
  CHECK(batch.targets[1].item<std::int64_t>() == labels[8]);
}

TEST_CASE("a resident split is a copy: the host's data may go") {
  Dataset data = tiny_dataset();
  const ResidentSplit split(data.train, 0, at::kCPU);
  const at::Tensor before = split.slice(0, 50).targets.clone();
  std::fill(data.train.targets.bytes.begin(), data.train.targets.bytes.end(), std::byte{0});
  CHECK(split.slice(0, 50).targets.equal(before));
}

TEST_CASE("gathering keeps samples and targets together") {
  const ResidentSplit split(tiny_dataset().train, 0, at::kCPU);
  const at::Tensor order = at::arange(49, -1, -1, at::kLong);
  const Batch reversed = split.gather(order);
  CHECK(reversed.inputs[0].equal(split.slice(49, 1).inputs[0]));
  CHECK(reversed.targets.flip(0).equal(split.slice(0, 50).targets));
}

TEST_CASE("the metrics of an epoch are means over all samples, the short last batch weighted by its size") {
  at::manual_seed(0);
  const auto model = tiny_model().build();
  const ResidentSplit split(tiny_dataset().train, 0, at::kCPU);
  CountingMonitor monitor;
  // A learning rate too small to change anything: every batch size must then see the same mean.
  ResidentSource source(split);
  Trainer by_one(*model, {50, 1e-30, {}}, at::kCPU);
  by_one.queue_epoch(source, monitor);
  Trainer by_sixteen(*model, {16, 1e-30, {}}, at::kCPU);
  by_sixteen.queue_epoch(source, monitor);
  CHECK(by_sixteen.epoch_metrics()[0] == approx(by_one.epoch_metrics()[0]));
  CHECK(by_sixteen.epoch_metrics()[1] == approx(by_one.epoch_metrics()[1]));
  CHECK(by_sixteen.evaluate(split)[0] == approx(by_one.epoch_metrics()[0]));
}
