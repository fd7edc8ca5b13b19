#include <ATen/ops/addmm.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/randn.h>
#include <torch/nn/modules/linear.h>

#include "engine/api/model_cost.h"
#include "support/catch.h"

using gpubench::count_macs;

TEST_CASE("matrix products count rows x inner x columns") {
  CHECK(count_macs([] { at::mm(at::randn({2, 3}), at::randn({3, 5})); }) == 2 * 3 * 5);
  CHECK(count_macs([] { at::bmm(at::randn({7, 2, 3}), at::randn({7, 3, 5})); }) == 7 * 2 * 3 * 5);
  CHECK(count_macs([] { at::addmm(at::randn({5}), at::randn({2, 3}), at::randn({3, 5})); }) == 2 * 3 * 5);
}

TEST_CASE("a convolution counts each weight once at each output position") {
  const auto images = at::randn({2, 3, 8, 8});
  CHECK(count_macs([&] { at::conv2d(images, at::randn({4, 3, 3, 3})); }) == 2 * 36 * 4 * 3 * 9);
  CHECK(count_macs([&] {
          at::conv2d(images, at::randn({6, 1, 3, 3}), {}, 2, 1, 1, 3);
        }) == 2 * 16 * 6 * 1 * 9);
  CHECK(count_macs([&] {
          at::conv_transpose2d(images, at::randn({3, 5, 4, 4}), {}, 2);
        }) == 2 * 64 * 3 * 5 * 16);
}

TEST_CASE("a linear layer of 64 x 256 x 128 takes 12.58 MFLOP forward and backward") {
  torch::nn::Linear layer(256, 128);
  const auto input = at::randn({64, 256}).requires_grad_();
  const std::int64_t macs = count_macs([&] { layer->forward(input).sum().backward(); });
  CHECK(2 * macs == 3 * 2 * 64 * 256 * 128);
}

TEST_CASE("element-wise work counts nothing, and nothing is counted after the work") {
  CHECK(count_macs([] { at::randn({100}).mul_(2).sum(); }) == 0);
  CHECK(count_macs([] { at::mm(at::randn({1, 1}), at::randn({1, 1})); }) == 1);
}
