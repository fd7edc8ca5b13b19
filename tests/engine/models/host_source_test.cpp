#include <algorithm>
#include <numeric>
#include <span>

#include <ATen/Context.h>

#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "workloads/input/batch_source.h"

namespace gpubench::test::host_source_test {

namespace {

constexpr std::int64_t kSamples = 50;
constexpr std::int64_t kBatch = 16;

/// Returns samples that differ in all bytes. The target of a sample is its position.
Split numbered_split(const std::vector<std::int64_t>& sample_shape) {
  Split split;
  split.inputs.shape = split.targets.shape = {kSamples};
  split.inputs.shape.insert(split.inputs.shape.end(), sample_shape.begin(), sample_shape.end());
  const auto values =
      std::accumulate(sample_shape.begin(), sample_shape.end(), std::int64_t{1}, std::multiplies<>());
  for (std::int64_t i = 0; i < kSamples * values; ++i) {
    split.inputs.bytes.push_back(static_cast<std::byte>(i / values * 5 + i % values));
  }
  std::vector<std::int64_t> positions(kSamples);
  std::iota(positions.begin(), positions.end(), 0);
  split.targets.type = ElementType::kInt64;
  const auto bytes = std::as_bytes(std::span(positions));
  split.targets.bytes.assign(bytes.begin(), bytes.end());
  return split;
}

Batch next_batch(BatchSource& source, std::int64_t first) {
  return source.next(std::min(kBatch, source.size() - first));
}

/// Returns the targets of an epoch in order.
std::vector<std::int64_t> epoch_order(BatchSource& source) {
  std::vector<std::int64_t> order;
  source.begin_epoch();
  for (std::int64_t first = 0; first < source.size(); first += kBatch) {
    const at::Tensor targets = next_batch(source, first).targets;
    const auto* begin = targets.const_data_ptr<std::int64_t>();
    order.insert(order.end(), begin, begin + targets.size(0));
  }
  return order;
}

/// Compares each batch of an epoch with a resident split, including strides and all bits.
void check_like_resident(const Split& split, const InputFormat& format, Transfer transfer) {
  const FakeClock clock;
  const ResidentSplit resident(split, 0, at::kCPU, format);
  const auto source = make_host_source(split, 0, at::kCPU, format, kBatch, clock, {}, transfer);
  source->begin_epoch();
  for (std::int64_t first = 0; first < kSamples; first += kBatch) {
    const Batch batch = next_batch(*source, first);
    const Batch same = resident.gather(batch.targets);
    CHECK(batch.inputs.scalar_type() == format.type);
    CHECK(batch.inputs.sizes() == same.inputs.sizes());
    CHECK(batch.inputs.strides() == same.inputs.strides());
    CHECK(batch.inputs.equal(same.inputs));
    CHECK(batch.targets.equal(same.targets));
  }
}

}  // namespace

TEST_CASE("the host loader returns every sample once per epoch, including the short last batch") {
  const Split split = numbered_split({1, 2, 2});
  const FakeClock clock;
  const auto source = make_host_source(split, 0, at::kCPU, {}, kBatch, clock);
  CHECK(source->size() == kSamples);
  for (int epoch = 0; epoch < 3; ++epoch) {
    std::vector<std::int64_t> order = epoch_order(*source);
    CHECK_FALSE(std::is_sorted(order.begin(), order.end()));
    std::sort(order.begin(), order.end());
    std::vector<std::int64_t> all(kSamples);
    std::iota(all.begin(), all.end(), 0);
    CHECK(order == all);
  }
}

TEST_CASE("on a CPU the host loader has the order of resident data for equal seeds") {
  const Split split = numbered_split({4});
  const FakeClock clock;
  at::manual_seed(7);
  const auto source = make_host_source(split, 0, at::kCPU, {}, kBatch, clock);
  const auto order = epoch_order(*source);
  at::manual_seed(7);
  ResidentSplit same(split, 0, at::kCPU);
  same.begin_epoch();
  const at::Tensor targets = same.next(kSamples).targets;
  const auto* begin = targets.const_data_ptr<std::int64_t>();
  CHECK(order == std::vector<std::int64_t>(begin, begin + kSamples));
}

TEST_CASE("inputs of the host loader have the bits and strides of resident data") {
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{3, 4, 5}, {1, 4, 5}, {1, 1, 7}, {9}}) {
    for (const at::ScalarType type : {at::kFloat, at::kBFloat16, at::kHalf}) {
      for (const bool is_channels_last : {false, true}) {
        INFO(shape.size() << " dimensions, " << shape[0] << " first, " << c10::toString(type) << ", "
                          << is_channels_last);
        // The host converts numbers for a CPU, the device for others.
        check_like_resident(numbered_split(shape), {type, is_channels_last}, Transfer::kNone);
        check_like_resident(numbered_split(shape), {type, is_channels_last}, Transfer::kCopied);
      }
    }
  }
}

TEST_CASE("a limit omits later samples") {
  const Split split = numbered_split({4});
  const FakeClock clock;
  const auto source = make_host_source(split, 20, at::kCPU, {}, kBatch, clock);
  CHECK(source->size() == 20);
  for (const std::int64_t sample : epoch_order(*source)) CHECK(sample < 20);
}

TEST_CASE("the host loader does not change tokens") {
  Split split = numbered_split({4});
  split.inputs = split.targets;
  const FakeClock clock;
  const Transfer transfer = GENERATE(Transfer::kNone, Transfer::kCopied);
  const auto source =
      make_host_source(split, 0, at::kCPU, {at::kBFloat16, true}, kBatch, clock, {}, transfer);
  source->begin_epoch();
  const Batch batch = source->next(kBatch);
  CHECK(batch.inputs.scalar_type() == at::kLong);
  CHECK(batch.inputs.equal(batch.targets));
}

TEST_CASE("an unfinished epoch does not affect the next one") {
  const Split split = numbered_split({4});
  const FakeClock clock;
  const auto source = make_host_source(split, 0, at::kCPU, {}, kBatch, clock);
  for (int batches = 0; batches < 4; ++batches) {
    source->begin_epoch();
    for (int i = 0; i < batches; ++i) next_batch(*source, i * kBatch);
    std::vector<std::int64_t> order = epoch_order(*source);
    std::sort(order.begin(), order.end());
    CHECK(std::adjacent_find(order.begin(), order.end()) == order.end());
    CHECK(order.size() == kSamples);
  }
}

TEST_CASE("the time of waiting for batches is counted per epoch") {
  const Split split = numbered_split({4});
  const TickingClock clock;
  const auto source = make_host_source(split, 0, at::kCPU, {}, kBatch, clock);
  CHECK(source->waited() == Measured<Seconds>(Seconds{0}));
  for (int epoch = 0; epoch < 2; ++epoch) {
    epoch_order(*source);
    CHECK(source->waited() == Measured<Seconds>(Seconds{4}));  // One second per batch.
  }
}

TEST_CASE("more samples than in the next batch, or a batch outside of an epoch, is an error") {
  const Split split = numbered_split({4});
  const FakeClock clock;
  const auto source = make_host_source(split, 0, at::kCPU, {}, kBatch, clock);
  CHECK_THROWS_AS(source->next(kBatch), Error);
  epoch_order(*source);
  CHECK_THROWS_AS(source->next(kBatch), Error);
  source->begin_epoch();
  CHECK_THROWS_WITH(source->next(kBatch + 1), contains_text("exceeds the samples"));
}

TEST_CASE("a host array that is too short for its shape is rejected") {
  Split split = numbered_split({4});
  split.inputs.bytes.pop_back();
  const FakeClock clock;
  CHECK_THROWS_WITH(make_host_source(split, 0, at::kCPU, {}, kBatch, clock),
                    contains_text("its shape needs"));
}

}  // namespace gpubench::test::host_source_test
