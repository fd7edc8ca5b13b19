// Compares each network with the published tables. The forward multiply-accumulates are computed layer by
// layer, so that the counter and the networks check each other.

#include <cmath>

#include <ATen/ops/randint.h>

#include "engine/api/model_cost.h"
#include "generative.h"
#include "support/catch.h"
#include "tiny.h"
#include "workloads/input/batch_source.h"

namespace gpubench::test::networks_test {

namespace {

struct Published {
  std::string name;
  std::int64_t parameters;
  std::int64_t forward_macs;
  std::string sizes = {};
};

/// Returns output positions times weights of a square convolution.
constexpr std::int64_t conv(std::int64_t side, std::int64_t out, std::int64_t in, std::int64_t kernel) {
  return side * side * out * in * kernel * kernel;
}

/// Returns the cost of a stage of ResNet-50: `blocks` bottlenecks of `width` at `side` x `side` positions,
/// with `in` input channels.
constexpr std::int64_t stage(std::int64_t side, std::int64_t width, std::int64_t in, std::int64_t blocks) {
  const std::int64_t first = conv(side, width, in, 1) + conv(side, 4 * width, in, 1);
  const std::int64_t others = (blocks - 1) * conv(side, width, 4 * width, 1);
  return first + others + blocks * (conv(side, width, width, 3) + conv(side, 4 * width, width, 1));
}

/// Returns the cost of a transposed convolution: weights times input positions.
constexpr std::int64_t kGenerator = conv(1, 512, 100, 4) + conv(4, 256, 512, 4) + conv(8, 128, 256, 4) +
                                    conv(16, 64, 128, 4) + conv(32, 3, 64, 4);
constexpr std::int64_t kDiscriminator = conv(32, 64, 3, 4) + conv(16, 128, 64, 4) + conv(8, 256, 128, 4) +
                                        conv(4, 512, 256, 4) + conv(1, 1, 512, 4);

/// Returns the cost of a stage of ResNet-18: two blocks of two convolutions, with `side` x `side` positions
/// after the first convolution. The shortcut is projected if the width changes.
constexpr std::int64_t basic_stage(std::int64_t side, std::int64_t width, std::int64_t in) {
  const std::int64_t projection = in == width ? 0 : conv(side, width, in, 1);
  return projection + conv(side, width, in, 3) + 3 * conv(side, width, width, 3);
}
constexpr std::int64_t kBranch = conv(14, 64, 1, 7) + basic_stage(7, 64, 64) + basic_stage(4, 128, 64) +
                                 basic_stage(2, 256, 128) + basic_stage(1, 512, 256);

/// Returns the cost of an encoder layer: queries, keys and values, their products, the output projection, and
/// two dense layers. A mask does not reduce the cost of a dense product.
constexpr std::int64_t encoder_layer(std::int64_t length, std::int64_t embedding, std::int64_t hidden) {
  const std::int64_t attention = 2 * length * embedding;
  return length * (3 * embedding * embedding + attention + embedding * embedding + 2 * embedding * hidden);
}

/// Returns the cost of a ViT of 12 layers with `patches` patches of 3 x `patch` x `patch` values.
constexpr std::int64_t vit(std::int64_t patches, std::int64_t patch, std::int64_t width,
                           std::int64_t classes) {
  return patches * 3 * patch * patch * width + 12 * encoder_layer(patches + 1, width, 4 * width) +
         width * classes;
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
    // An evaluation generates an image, and passes it and the given one through the discriminator.
    {"dcgan", 3576704 + 2765568, kGenerator + 2 * kDiscriminator},
    {"siamese", 11432897, 2 * kBranch + 1024 * 256 + 256},
    {"transformer_lm", 13828478, 2 * encoder_layer(35, 200, 200) + 35 * 200 * 33278},
    // The output weights are those of the embedding; causal attention counts as full attention.
    {"gpt2", 124439808, 12 * encoder_layer(1024, 768, 4 * 768) + std::int64_t{1024} * 768 * 50257},
    {"vit", 5362762, vit(64, 4, 192, 10)},
    {"vae", 652824, 784 * 400 + 400 * 2 * 20 + 20 * 400 + 400 * 784},
};

const std::vector<Published> kPublishedSizes = {
    // Keras has 25,636,712 parameters including 53,120 running statistics.
    {"resnet50", 25636712 - 53120,
     conv(112, 64, 3, 7) + stage(56, 64, 64, 3) + stage(28, 128, 256, 4) + stage(14, 256, 512, 6) +
         stage(7, 512, 1024, 3) + 2048 * 1000,
     "image=224,classes=1000"},
    // As vit_tiny_patch16_224, vit_small_patch16_224 and vit_base_patch16_224 of timm.
    {"vit", 5717416, vit(196, 16, 192, 1000), "ti16"},
    {"vit", 22050664, vit(196, 16, 384, 1000), "s16"},
    {"vit", 86567656, vit(196, 16, 768, 1000), "b16"},
    {"vit", 5362762, vit(64, 4, 192, 10), "ti4"},
    {"vit", 21342346, vit(64, 4, 384, 10), "s4"},
};

/// Counts the parameters of two networks with few layers, since all layers are equal.
std::int64_t extrapolate_parameters(const ModelEntry& entry, ModelSizes sizes) {
  const std::int64_t layers = sizes.at("layers");
  const auto count = [&](std::int64_t some) {
    sizes["layers"] = some;
    return count_parameters(*entry.build(sizes));
  };
  const std::int64_t one = count(1);
  return one + (layers - 1) * (count(2) - one);
}

}  // namespace

TEST_CASE("the table of this test covers the catalog") {
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

TEST_CASE("each network has the published parameters and multiply-accumulates at its other sizes") {
  for (const Published& network : kPublishedSizes) {
    INFO(network.name << " " << network.sizes);
    const ModelEntry& entry = models().require(network.name, "");
    const ModelSizes sizes = all_sizes(entry, parse_sizes(entry, network.sizes));
    const auto model = entry.build(sizes);
    CHECK(count_parameters(*model) == network.parameters);
    CHECK(count_forward_macs(*model, spec_at(entry, sizes)) == network.forward_macs);
  }
}

TEST_CASE("the presets of gpt2 have the published numbers of parameters") {
  const ModelEntry& entry = models().require("gpt2", "");
  const auto count = [&](const char* preset) {
    return extrapolate_parameters(entry, all_sizes(entry, parse_sizes(entry, preset)));
  };
  CHECK(count("") == 124439808);
  CHECK(count("350m") == 354823168);
  CHECK(count("774m") == 774030080);
  CHECK(count("1558m") == 1557611200);
}

TEST_CASE("an untrained transformer gives all answers about equal probability") {
  for (const auto& [name, tolerance] : {std::pair{"vit", 1e-6}, std::pair{"gpt2", 0.02}}) {
    INFO(name);
    const ModelEntry& entry = models().require(name, "");
    const std::int64_t classes = spec_at(entry, small_sizes(entry)).classes;
    Batch batch = random_batch(name, 8);
    batch.targets = at::randint(classes, batch.targets.sizes(), at::kLong);
    const double loss = value(evaluation_sums(*built(name), batch), 0) / 8;
    CHECK(loss == approx(std::log(static_cast<double>(classes))).epsilon(tolerance));
  }
}

TEST_CASE("sizes that do not divide each other are refused") {
  const auto refused = [](const char* name, const ModelSizes& sizes, const char* message) {
    const ModelEntry& entry = models().require(name, "");
    CHECK_THROWS_WITH(entry.build(all_sizes(entry, sizes)), message);
  };
  refused("vit", {{"patch", 5}}, "--model-arg patch=5: does not divide image=32; use a divisor");
  refused("gpt2", {{"heads", 7}}, "--model-arg heads=7: does not divide width=768; use a divisor");
}

TEST_CASE("resnet50 has 23,608,202 parameters including running statistics") {
  const auto model = built("resnet50");
  std::int64_t count = 0;
  for (const at::Tensor& parameter : model->parameters()) count += parameter.numel();
  for (const auto& buffer : model->named_buffers()) {
    // LibTorch has an additional batch counter in each layer.
    if (buffer.value().dim() > 0) count += buffer.value().numel();
  }
  CHECK(count == 23608202);
}

TEST_CASE("evaluation returns a sum per metric over all samples of the batch") {
  for (const ModelEntry& entry : models()) {
    INFO(entry.name);
    const at::NoGradGuard no_grad;
    const auto model = built(entry.name);
    model->eval();
    const Batch batch = example_batch(spec_at(entry, small_sizes(entry)), 8, {});
    const auto sums = [&](std::int64_t first, std::int64_t count) {
      const Batch part{batch.inputs.narrow(0, first, count), batch.targets.narrow(0, first, count)};
      return metric_sums(*model, model->evaluate(part), count);
    };
    at::manual_seed(1);
    const at::Tensor whole = sums(0, 8);
    at::manual_seed(1);
    const at::Tensor halves = sums(0, 4) + sums(4, 4);
    REQUIRE(whole.sizes() == at::IntArrayRef{static_cast<std::int64_t>(model->metrics().size())});
    // Generative models draw noise, which changes their metrics by less than a percent.
    const double tolerance = entry.spec.task == Task::kImages ? 1e-2 : 1e-3;
    CHECK(at::allclose(whole, halves, tolerance));
  }
}

}  // namespace gpubench::test::networks_test
