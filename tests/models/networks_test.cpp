// Each network against the table that the published comparisons give. The forward multiply-accumulates are
// written out layer by layer, so that the counter and the networks check each other.

#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>

#include "gpubench/engine/model_cost.h"
#include "gpubench/model.h"
#include "support/catch.h"

using namespace gpubench;

namespace {

struct Published {
  std::string name;
  std::int64_t parameters;
  std::int64_t forward_macs;
};

/// Output positions times weights of a square convolution.
constexpr std::int64_t conv(std::int64_t side, std::int64_t out, std::int64_t in, std::int64_t kernel) {
  return side * side * out * in * kernel * kernel;
}

/// A stage of ResNet-50: `blocks` bottlenecks of `width` on `side` x `side` positions, `in` channels before
/// it.
constexpr std::int64_t stage(std::int64_t side, std::int64_t width, std::int64_t in, std::int64_t blocks) {
  const std::int64_t first = conv(side, width, in, 1) + conv(side, 4 * width, in, 1);
  const std::int64_t others = (blocks - 1) * conv(side, width, 4 * width, 1);
  return first + others + blocks * (conv(side, width, width, 3) + conv(side, 4 * width, width, 1));
}

const std::vector<Published> kPublished = {
    {"mlp", 435402, 784 * 512 + 512 * 64 + 64 * 10},
    {"cnn", 93322, conv(26, 32, 1, 3) + conv(11, 64, 32, 3) + conv(3, 64, 64, 3) + 576 * 64 + 64 * 10},
    {"lstm", 82186, 28 * 4 * 128 * (28 + 128) + 128 * 10},
    {"cnn0", 122570, conv(30, 32, 3, 3) + conv(13, 64, 32, 3) + conv(4, 64, 64, 3) + 1024 * 64 + 64 * 10},
    {"cnn1", 225034, 10453632},
    {"cnn2", 802762, 29721216},
    {"cnn3", 1649482, 123413120},
    {"resnet50", 23555082,
     conv(16, 64, 3, 7) + stage(8, 64, 64, 3) + stage(4, 128, 256, 4) + stage(2, 256, 512, 6) +
         stage(1, 512, 1024, 3) + 2048 * 10},
};

at::Tensor random_images(const DataSpec& spec, std::int64_t count) {
  std::vector<std::int64_t> shape{count};
  shape.insert(shape.end(), spec.sample_shape.begin(), spec.sample_shape.end());
  return at::rand(shape);
}

}  // namespace

TEST_CASE("the table of this test covers the whole catalog") {
  std::vector<std::string> names;
  for (const Published& network : kPublished) names.push_back(network.name);
  CHECK(models().names() == names);
}

TEST_CASE("each network has the published number of parameters and multiply-accumulates") {
  for (const Published& network : kPublished) {
    INFO(network.name);
    const ModelCost cost = model_cost(models().require(network.name, ""));
    CHECK(cost.parameters == network.parameters);
    CHECK(cost.forward_macs == network.forward_macs);
  }
}

TEST_CASE("resnet50 has 23,608,202 parameters together with its running statistics") {
  const auto model = models().require("resnet50", "").build();
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model->parameters()) count += parameter.numel();
  for (const auto& buffer : model->named_buffers()) {
    // LibTorch also counts batches in each layer, which Keras does not.
    if (buffer.value().dim() > 0) count += buffer.value().numel();
  }
  CHECK(count == 23608202);
}

TEST_CASE("evaluation returns one sum for each metric, over all samples of the batch") {
  for (const ModelEntry& entry : models()) {
    INFO(entry.name);
    const at::NoGradGuard no_grad;
    const auto model = entry.build();
    model->eval();
    const at::Tensor images = random_images(entry.spec, 4);
    const at::Tensor labels = at::zeros({4}, at::kLong);
    const at::Tensor whole = model->evaluate({images, labels});
    const at::Tensor halves = model->evaluate({images.narrow(0, 0, 2), labels.narrow(0, 0, 2)}) +
                              model->evaluate({images.narrow(0, 2, 2), labels.narrow(0, 2, 2)});
    REQUIRE(whole.sizes() == at::IntArrayRef{static_cast<std::int64_t>(model->metrics().size())});
    CHECK(at::allclose(whole, halves, 1e-3));
  }
}
