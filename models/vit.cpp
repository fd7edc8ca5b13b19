// ViT (Dosovitskiy et al., "An Image is Worth 16x16 Words", 2021) with a class token and learned positions,
// and the optimizer of Beyer et al., "Better plain ViT baselines for ImageNet-1k" (2022, big_vision's
// configs/vit_s16_i1k.py).

#include <cmath>

#include "transformer.h"

namespace gpubench::vit_plugin {
namespace {

constexpr std::int64_t kChannels = 3;
constexpr double kEpsilon = 1e-6;
constexpr double kClipNorm = 1;
constexpr double kPositionDeviation = 0.02;
/// The publication's weight decay of 1e-4 is not multiplied by the learning rate, as this one is.
constexpr AdamRecipe kRecipe{.learning_rate = 1e-3, .weight_decay = 0.1};
/// 90 epochs of 1,251 steps: the 1,281,167 images of ImageNet in batches of 1,024.
constexpr Schedule kSchedule{.warmup_steps = 10'000, .total_steps = 90 * 1'251};

/// Projects patches, prepends the class token and adds positions. A product of patches computes the
/// convolution of the publication; unlike a convolution it needs no particular layout.
class PatchEmbeddingImpl : public DenseImpl {
 public:
  PatchEmbeddingImpl(std::int64_t patch, std::int64_t patches, std::int64_t width)
      : DenseImpl(kChannels * patch * patch, width),
        patch_(patch),
        class_token_(register_parameter("class_token", at::zeros({width}))),
        positions_(
            register_parameter("positions", at::randn({patches + 1, width}).mul_(kPositionDeviation))) {
    nn::init::normal_(weight, 0, 1 / std::sqrt(static_cast<double>(weight.size(1))));
    nn::init::zeros_(bias);
  }

  /// Returns samples, positions, width.
  at::Tensor forward(const at::Tensor& images) {
    // To samples, rows and columns of patches, then the values of a patch by channel, row and column.
    const at::Tensor grid = images.unflatten(3, {-1, patch_}).unflatten(2, {-1, patch_});
    const at::Tensor patches = grid.permute({0, 2, 4, 1, 3, 5}).flatten(3).flatten(1, 2);
    const at::Tensor class_tokens = class_token_.expand({images.size(0), 1, -1});
    return at::cat({class_tokens, DenseImpl::forward(patches)}, 1).add_(positions_);
  }

 private:
  std::int64_t patch_;
  at::Tensor class_token_;
  at::Tensor positions_;
};
TORCH_MODULE(PatchEmbedding);

}  // namespace

std::shared_ptr<Model> build_vit(const ModelSizes& sizes) {
  require_divisor(sizes, "patch", "image");
  require_divisor(sizes, "heads", "width");
  const std::int64_t width = sizes.at("width");
  const std::int64_t side = sizes.at("image") / sizes.at("patch");
  const TransformerSizes block_sizes{
      .width = width, .heads = sizes.at("heads"), .hidden = 4 * width, .epsilon = kEpsilon};
  nn::Sequential network;
  network->push_back("patches", PatchEmbedding(sizes.at("patch"), side * side, width));
  for (std::int64_t i = 1; i <= sizes.at("layers"); ++i) {
    TransformerBlock block(block_sizes);
    block->initialize([](const at::Tensor& weight, bool) { nn::init::xavier_uniform_(weight); });
    network->push_back("block" + std::to_string(i), block);
  }
  // Normalizes the class token only, since the head ignores the other positions.
  network->push_back("class_token", nn::Functional([](const at::Tensor& x) { return x.select(1, 0); }));
  network->push_back("norm", nn::LayerNorm(nn::LayerNormOptions({width}).eps(kEpsilon)));
  Dense head(width, sizes.at("classes"));
  nn::init::zeros_(head->weight);  // As in big_vision, logits are 0 before training.
  nn::init::zeros_(head->bias);
  network->push_back("head", head);
  // In bf16, the loss of the first steps would round to the same value.
  network->push_back("in_fp32", nn::Functional([](const at::Tensor& x) { return x.to(at::kFloat); }));
  return make_classifier(std::move(network),
                         {.recipe = kRecipe, .clip_norm = kClipNorm, .schedule = kSchedule});
}

}  // namespace gpubench::vit_plugin
