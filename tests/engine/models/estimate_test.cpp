// Compares the estimated memory of a training with the bytes that the same training allocates on a CPU.

#include <algorithm>

#include <c10/core/Allocator.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include "engine/api/model_cost.h"
#include "generative.h"
#include "gpubench/model.h"
#include "support/catch.h"
#include "workloads/cases/runner.h"
#include "workloads/cases/session.h"
#include "workloads/input/batch_source.h"
#include "workloads/train/optimizer/optimizer.h"

namespace gpubench::test::estimate_test {
using gpubench::test::approx;

namespace {

/// LibTorch's convolutions on a CPU need workspace, and its autocast on a CPU keeps more layers in bf16.
constexpr double kTolerance = 0.15;

/// LibTorch reports every allocation of a tensor to it.
class AllocatedBytes : public c10::MemoryReportingInfoBase {
 public:
  void reportMemoryUsage(void*, std::int64_t size, std::size_t, std::size_t, c10::Device) override {
    live_ += size;
    peak_ = std::max(peak_, live_);
  }
  bool memoryProfilingEnabled() const override { return true; }
  double peak() const { return static_cast<double>(peak_); }

 private:
  std::int64_t live_ = 0;
  std::int64_t peak_ = 0;
};

Case make_small(const ModelEntry& entry) {
  Case c;
  c.model = &entry;
  c.sizes = small_sizes(entry);
  c.asked.batch_size = 64;
  c.asked.device = "cuda";  // Without the samples on the host.
  return c;
}

/// Returns the highest number of bytes in tensors while the model is built and trained for two steps.
double allocated_bytes(const Case& c) {
  const auto bytes = std::make_shared<AllocatedBytes>();
  const c10::DebugInfoGuard guard(c10::DebugInfoKind::PROFILER_STATE, bytes);
  const at::ScalarType type = find_numerics(c.asked.mode.precision).type;
  const auto model = c.model->build(c.sizes);
  to_device(*model, at::kCPU, {type});
  const auto steps = make_steps(*model, c.asked, at::kCPU);
  const Batch batch =
      example_batch(make_spec(c), c.asked.batch_size, at::TensorOptions(at::kCPU).dtype(type));
  steps->begin_epoch(c.asked.batch_size);
  for (int step = 0; step < 2; ++step) steps->run_step(batch);
  return bytes->peak();
}

double estimated_bytes(const Case& c) {
  const Measured<MemoryEstimate> memory = estimate_memory(c, {.train = c.asked.batch_size});
  INFO(memory.reason());
  REQUIRE(memory.has_value());
  return static_cast<double>((memory.value().total() - memory.value().data).value);
}

}  // namespace

TEST_CASE("the estimated memory of every model is what its training allocates") {
  for (const ModelEntry& entry : models()) {
    INFO(entry.name);
    const Case c = make_small(entry);
    CHECK(estimated_bytes(c) == approx(allocated_bytes(c)).epsilon(kTolerance));
  }
}

TEST_CASE("the estimate follows precision and accumulation") {
  Case c = make_small(models().require("gpt2", ""));
  const double whole = estimated_bytes(c);
  for (const Precision precision : {Precision::kBf16, Precision::kFp16, Precision::kAmpBf16}) {
    c.asked.mode.precision = precision;
    INFO(to_string(precision));
    CHECK(estimated_bytes(c) < 0.8 * whole);
    CHECK(estimated_bytes(c) == approx(allocated_bytes(c)).epsilon(kTolerance));
  }
  c.asked.mode.precision = Precision::kFp32;
  c.asked.accumulate = 8;
  CHECK(estimated_bytes(c) < 0.3 * whole);
  CHECK(estimated_bytes(c) == approx(allocated_bytes(c)).epsilon(kTolerance));
}

TEST_CASE("the estimate for a CPU counts that convolutions with pooling keep only maxima") {
  Case c = make_small(models().require("cnn", ""));
  c.asked.batch_size = GENERATE(64, 2048);  // Larger ones are extrapolated.
  CAPTURE(c.asked.batch_size);
  const double on_gpu = estimated_bytes(c);
  c.asked.device = "cpu";
  CHECK(estimated_bytes(c) < 0.7 * on_gpu);
  c.asked.mode.layout = Layout::kNchw;
  CHECK(estimated_bytes(c) == approx(on_gpu).epsilon(0.25));
}

TEST_CASE("124 million parameters need 4 bytes, as much for gradients, and twice as much for AdamW") {
  const ModelEntry& entry = models().require("gpt2", "");
  Case c = make_small(entry);
  c.sizes = all_sizes(entry, {});
  const Measured<MemoryEstimate> memory = estimate_memory(c, {.train = 4});
  REQUIRE(memory.has_value());
  constexpr std::int64_t kParameters = 124439808;
  CHECK(memory.value().parameters.value == 4 * kParameters);
  CHECK(memory.value().gradients.value == 4 * kParameters);
  CHECK(static_cast<double>(memory.value().optimizer.value) == approx(8.0 * kParameters).epsilon(1e-4));
  // The logits of 4 samples of 1,024 tokens, of which each is one of 50,257.
  CHECK(memory.value().activations.value > std::int64_t{4} * 4 * 1024 * 50257);
  CHECK(memory.value().data.value == 4 * 2 * 1024 * 8);
}

}  // namespace gpubench::test::estimate_test
