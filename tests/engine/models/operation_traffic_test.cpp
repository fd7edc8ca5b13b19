// Compares memory traffic of operations with manual counts.

#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "support/catch.h"
#include "workloads/cost/cost.h"

namespace gpubench::test::operation_traffic_test {

TEST_CASE("views and allocations do not count as operations") {
  const auto tensor = at::randn({4, 6});
  const StepCost cost = count_step([&] {
    tensor.t().unsqueeze(0).expand({3, 6, 4}).narrow(0, 1, 2).detach();
    tensor.view({24}).reshape({2, 12}).contiguous().to(at::kFloat).chunk(2, 1);
    at::empty({100}).squeeze_().unsqueeze_(0);
  });
  CHECK(cost == StepCost{});
  CHECK(count_step([] {}) == StepCost{});
}

TEST_CASE("an operation reads its inputs and writes its outputs once") {
  const auto matrix = at::randn({4, 6});
  const auto row = at::randn({6});
  constexpr double kMatrix = 4 * 4 * 6;
  constexpr double kRow = 4 * 6;
  const auto bytes = [](const std::function<void()>& work) {
    const StepCost cost = count_step(work);
    CHECK(cost.operations == 1);
    return cost.bytes;
  };
  CHECK(bytes([&] { at::add(matrix, matrix); }) == 3 * kMatrix);
  CHECK(bytes([&] { at::add(matrix, row.expand({4, 6})); }) == 2 * kMatrix + kRow);
  CHECK(bytes([&] { matrix.add_(row); }) == 2 * kMatrix + kRow);
  CHECK(bytes([&] { matrix.relu_(); }) == 2 * kMatrix);
  CHECK(bytes([&] { matrix.zero_(); }) == kMatrix);
  CHECK(bytes([&] { matrix.copy_(at::Tensor(row)); }) == kMatrix + kRow);
  CHECK(bytes([&] { at::mm(matrix, matrix.t()); }) == 2 * kMatrix + 4 * 4 * 4);
  CHECK(bytes([&] { matrix.t().contiguous(); }) == 2 * kMatrix);
  CHECK(bytes([&] { matrix.sum(0); }) == kMatrix + kRow);
}

TEST_CASE("picking rows reads the rows and their indices only") {
  const auto table = at::randn({1000, 6});
  const auto indices = at::zeros({4}, at::kLong);
  const StepCost cost = count_step([&] { table.index_select(0, indices); });
  CHECK(cost.operations == 1);
  CHECK(cost.bytes == 2 * 4 * 4 * 6 + 4 * 8);
}

TEST_CASE("a fused optimizer is one operation that reads four tensors per parameter and writes three") {
  std::vector<at::Tensor> parameters{at::randn({10}), at::randn({5, 4})};
  std::vector<at::Tensor> gradients{at::randn({10}), at::randn({5, 4})};
  std::vector<at::Tensor> first{at::zeros({10}), at::zeros({5, 4})};
  std::vector<at::Tensor> second{at::zeros({10}), at::zeros({5, 4})};
  std::vector<at::Tensor> steps{at::ones({}), at::ones({})};
  const StepCost cost = count_step([&] {
    at::_fused_adam_(parameters, gradients, first, second, {}, steps, 1e-3, 0.9, 0.999, 0, 1e-8, false,
                     false);
  });
  CHECK(cost.operations == 1);
  CHECK(cost.bytes == 7 * 4 * 30 + 2 * 4);
}

}  // namespace gpubench::test::operation_traffic_test
