// GPT-2 (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019) with the training
// recipe of llm.c (https://github.com/karpathy/llm.c, scripts/run_gpt2_124M.sh): tied output weights, no
// dropout.

#include <cmath>

#include "transformer.h"

namespace gpubench::gpt2_plugin {
namespace {

constexpr double kDeviation = 0.02;
constexpr double kClipNorm = 1;
constexpr AdamRecipe kRecipe{.learning_rate = 6e-4, .beta2 = 0.95, .weight_decay = 0.1};
/// 10 billion tokens in steps of 524,288.
constexpr Schedule kSchedule{.warmup_steps = 700, .total_steps = 19'073};

class Gpt2 : public SingleLossModel {
 public:
  explicit Gpt2(const ModelSizes& sizes)
      : SingleLossModel({"loss"}, {.recipe = kRecipe, .clip_norm = kClipNorm, .schedule = kSchedule}),
        tokens_(register_module("tokens", nn::Embedding(sizes.at("vocabulary"), sizes.at("width")))),
        positions_(register_module("positions", nn::Embedding(sizes.at("context"), sizes.at("width")))) {
    const std::int64_t width = sizes.at("width");
    const TransformerSizes block{.width = width,
                                 .heads = sizes.at("heads"),
                                 .hidden = 4 * width,
                                 .is_causal = true,
                                 .is_gelu_exact = false};
    const double residual = kDeviation / std::sqrt(2 * static_cast<double>(sizes.at("layers")));
    for (std::int64_t i = 1; i <= sizes.at("layers"); ++i) {
      blocks_.push_back(register_module("block" + std::to_string(i), TransformerBlock(block)));
      blocks_.back()->initialize([&](const at::Tensor& weight, bool is_residual) {
        nn::init::normal_(weight, 0, is_residual ? residual : kDeviation);
      });
    }
    norm_ = register_module("norm", nn::LayerNorm(std::vector{width}));
    nn::init::normal_(tokens_->weight, 0, kDeviation);
    nn::init::normal_(positions_->weight, 0, kDeviation);
  }

  /// Returns the logits of the next token at each position: sequences, positions, vocabulary.
  at::Tensor predict(const at::Tensor& tokens) override {
    return linear(embed(tokens), tokens_->weight, at::Tensor());
  }

 private:
  /// Returns the values before the output layer: sequences, positions, width.
  at::Tensor embed(const at::Tensor& tokens) {
    at::Tensor x = tokens_->forward(tokens) + positions_->weight.narrow(0, 0, tokens.size(1));
    for (TransformerBlock& block : blocks_) x = block->forward(x);
    return norm_->forward(x);
  }

  Results compute(const Batch& batch) override {
    const at::Tensor rows = embed(batch.inputs).flatten(0, 1);
    return {linear_cross_entropy(rows, tokens_->weight, batch.targets.flatten())
                .div(static_cast<double>(rows.size(0)))};
  }

  nn::Embedding tokens_;
  nn::Embedding positions_;
  std::vector<TransformerBlock> blocks_;
  nn::LayerNorm norm_{nullptr};
};

}  // namespace

std::shared_ptr<Model> build_gpt2(const ModelSizes& sizes) {
  require_divisor(sizes, "heads", "width");
  return std::make_shared<Gpt2>(sizes);
}

}  // namespace gpubench::gpt2_plugin
