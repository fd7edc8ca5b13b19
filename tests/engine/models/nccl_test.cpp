// Ranks on NVIDIA GPUs. Tests are skipped if there are too few GPUs.

#include "rank_threads.h"
#include "support/catch.h"
#include "tiny.h"

#ifdef GPUBENCH_HAS_CUDA
#include <cmath>
#include <stdexcept>

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <c10/cuda/CUDAGuard.h>

#include "engine/group/rank_group.h"
#endif

namespace gpubench::test::nccl_test {

#ifdef GPUBENCH_HAS_CUDA

namespace {

void require(bool is_true, const char* what) {
  if (!is_true) throw std::runtime_error(what);
}

at::TensorOptions on_gpu(std::int64_t rank) {
  return at::TensorOptions(c10::Device(at::kCUDA, static_cast<c10::DeviceIndex>(rank))).dtype(at::kFloat);
}

bool is_all(const at::Tensor& tensor, float value) { return tensor.eq(value).all().item<bool>(); }

/// Runs every collective, with one GPU per rank.
void exchange_all(const RankContext& context) {
  const at::TensorOptions options = on_gpu(context.rank);
  const c10::cuda::CUDAGuard on_card(options.device().index());
  const auto ranks = static_cast<float>(context.ranks);
  const auto own = static_cast<float>(context.rank);
  CaseMonitor monitor;
  RankGroup group(context, options.device(), monitor);
  require(group.backend() == "nccl", "the backend");

  const at::Tensor sum = at::full({1000}, own + 1, options);
  group.sum(sum);
  require(is_all(sum, ranks * (ranks + 1) / 2), "a sum");
  const at::Tensor all = at::zeros({context.ranks, 10}, options);
  group.gather_into(all, at::full({10}, own, options));
  require(all.select(1, 0).equal(at::arange(context.ranks, options)), "a gathering");
  const at::Tensor part = at::zeros({10}, options);
  group.scatter_sum(part, at::full({10 * context.ranks}, 2, options));
  require(is_all(part, 2 * ranks), "a scattered sum");
  const at::Tensor given = at::full({8, 4}, own, options).t();
  group.broadcast({given});
  require(is_all(given, 0), "a broadcast");
  const at::Tensor received = at::full({10}, -1, options);
  if (context.ranks > 1) {
    group.pass_on(at::full({10}, own, options), received);
    require(is_all(received, std::fmod(own + ranks - 1, ranks)), "what the rank before sent");
  }
  require(group.maxima({own}) == std::vector<double>{ranks - 1.0}, "the largest");
  require(group.gathered(own).back() == ranks - 1.0, "figures");
  require(group.agree_on("the same"), "that all say the same");
}

/// Trains the cnn, which has neither dropout nor batch normalization: ranks differ from one only by rounding.
CaseRecord trained(Execution execution, const std::string& device,
                   const std::optional<RankContext>& context) {
  const auto opened = open_device(device);
  return run_network("cnn", {.execution = execution, .layout = Layout::kNchw}, 32, 200, *opened, context);
}

void check_like(const CaseRecord& record, const CaseRecord& alone) {
  INFO(record.status_reason);
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.backend.value() == "nccl");
  CHECK(record.trained_steps == alone.trained_steps);
  CHECK(record.training.front().second.back() ==
        approx(alone.training.front().second.back()).epsilon(0.05).margin(0.01));
  REQUIRE(record.communication_seconds.size() == record.epoch_seconds.size());
  for (std::size_t i = 0; i < record.epoch_seconds.size(); ++i) {
    CHECK(record.communication_seconds[i] > 0);
    CHECK(record.communication_seconds[i] < record.epoch_seconds[i]);
  }
}

}  // namespace

TEST_CASE("a group of one on CUDA exchanges by NCCL") {
  if (!has_cuda()) return;
  CHECK_NOTHROW(on_ranks(1, exchange_all));
}

TEST_CASE("a group of one on CUDA trains like a single process, eager and recorded") {
  if (!has_cuda()) return;
  const Execution execution = GENERATE(Execution::kEager, Execution::kGraph);
  const CaseRecord alone = trained(execution, "cuda:0", {});
  CaseRecord record;
  on_ranks(1, [&](const RankContext& context) { record = trained(execution, "cuda:0", context); });
  check_like(record, alone);
  CHECK(record.execution_used.value() == to_string(execution));
}

TEST_CASE("two GPUs with CUDA exchange by NCCL") {
  if (!has_cuda(2)) return;
  CHECK_NOTHROW(on_ranks(2, exchange_all));
}

// Eager only: threads of one process disturb each other's recordings.
TEST_CASE("two GPUs with CUDA train like one") {
  if (!has_cuda(2)) return;
  const CaseRecord alone = trained(Execution::kEager, "cuda:0", {});
  std::vector<CaseRecord> records(2);
  on_ranks(2, [&](const RankContext& context) {
    records[static_cast<std::size_t>(context.rank)] =
        trained(Execution::kEager, "cuda:" + std::to_string(context.rank), context);
  });
  for (const CaseRecord& record : records) check_like(record, alone);
}

#else

TEST_CASE("ranks on CUDA exchange by NCCL and train") { WARN("skipped: this build has no CUDA"); }

#endif

}  // namespace gpubench::test::nccl_test
