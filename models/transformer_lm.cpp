// Transformer language model of the PyTorch examples, in the version of the published figures: encoder of
// Vaswani et al., "Attention Is All You Need" (2017), section 3, with a causal mask, an embedding and a
// decoder, without a normalization after the last layer.

#include <cmath>
#include <limits>

#include "blocks.h"

namespace gpubench::transformer_lm_plugin {
namespace {

constexpr std::int64_t kVocabulary = 33'278;  // Distinct training tokens of WikiText-2.
constexpr double kDropout = 0.2;
constexpr double kLearningRate = 20;
constexpr double kClipNorm = 0.25;

/// Returns the positional encoding of Vaswani et al., section 3.5: sines in even columns, cosines in odd
/// ones.
at::Tensor sinusoidal_positions(std::int64_t length, std::int64_t embedding) {
  constexpr double kLongest = 10'000;
  const at::Tensor even_columns = at::arange(0, embedding, 2, at::kFloat);
  const at::Tensor frequencies =
      (even_columns * (-std::log(kLongest) / static_cast<double>(embedding))).exp();
  const at::Tensor angles = at::outer(at::arange(length, at::kFloat), frequencies);
  return at::stack({angles.sin(), angles.cos()}, 2).flatten(1).narrow(1, 0, embedding).contiguous();
}

/// Causal attention with several heads.
class SelfAttentionImpl : public nn::Module {
 public:
  SelfAttentionImpl(std::int64_t embedding, std::int64_t heads)
      : heads_(heads),
        in_projection_(register_module("in_projection", Dense(embedding, 3 * embedding))),
        out_projection_(register_module("out_projection", Dense(embedding, embedding))) {
    nn::init::xavier_uniform_(in_projection_->weight);
    nn::init::zeros_(in_projection_->bias);
    nn::init::zeros_(out_projection_->bias);
  }

  /// `x`: sequences, positions, embedding.
  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) {
    // Splits into queries, keys and values: sequences, heads, positions, depth.
    const at::Tensor projected = in_projection_->forward(x).unflatten(2, {3, heads_, x.size(2) / heads_});
    const std::vector<at::Tensor> parts = projected.permute({2, 0, 3, 1, 4}).unbind();
    // Fused CPU kernels do not support dropout.
    const bool needs_weights = is_training() && x.device().is_cpu();
    const at::Tensor attended =
        needs_weights ? attention_by_weights(parts, mask)
                      : at::scaled_dot_product_attention(parts[0], parts[1], parts[2], {},
                                                         is_training() ? kDropout : 0, /*is_causal=*/true);
    return out_projection_->forward(attended.transpose(1, 2).reshape(x.sizes()));
  }

 private:
  at::Tensor attention_by_weights(const std::vector<at::Tensor>& parts, const at::Tensor& mask) const {
    const at::Tensor queries = parts[0].flatten(0, 1);
    const double scale = 1 / std::sqrt(static_cast<double>(queries.size(2)));
    const at::Tensor scores = at::baddbmm(mask.to(queries.scalar_type()), queries,
                                          parts[1].flatten(0, 1).transpose(1, 2), /*beta=*/1, scale);
    const at::Tensor weights = gpubench::dropout(scores.softmax(2), kDropout, is_training());
    return at::bmm(weights, parts[2].flatten(0, 1)).view(parts[2].sizes());
  }

  std::int64_t heads_;
  Dense in_projection_;
  Dense out_projection_;
};
TORCH_MODULE(SelfAttention);

/// Attention, then two dense layers, each with a shortcut followed by normalization.
class EncoderLayerImpl : public nn::Module {
 public:
  EncoderLayerImpl(std::int64_t embedding, std::int64_t hidden, std::int64_t heads)
      : attention_(register_module("attention", SelfAttention(embedding, heads))),
        expansion_(register_module("expansion", Dense(embedding, hidden))),
        contraction_(register_module("contraction", Dense(hidden, embedding))),
        attention_norm_(register_module("attention_norm", nn::LayerNorm(std::vector{embedding}))),
        dense_norm_(register_module("dense_norm", nn::LayerNorm(std::vector{embedding}))) {}

  at::Tensor forward(const at::Tensor& x, const at::Tensor& mask) {
    const at::Tensor attended = attention_norm_->forward(x + drop(attention_->forward(x, mask)));
    const at::Tensor expanded = drop(expansion_->forward(attended).relu_());
    return dense_norm_->forward(attended + drop(contraction_->forward(expanded)));
  }

 private:
  at::Tensor drop(const at::Tensor& x) const { return gpubench::dropout(x, kDropout, is_training()); }

  SelfAttention attention_;
  Dense expansion_;
  Dense contraction_;
  nn::LayerNorm attention_norm_;
  nn::LayerNorm dense_norm_;
};
TORCH_MODULE(EncoderLayer);

class TransformerLm : public SingleLossModel {
 public:
  explicit TransformerLm(const ModelSizes& sizes)
      : SingleLossModel({"loss"}, {.recipe = SgdRecipe{kLearningRate}, .clip_norm = kClipNorm}),
        embedding_(register_module("embedding", nn::Embedding(kVocabulary, sizes.at("embedding")))),
        positions_(
            register_buffer("positions", sinusoidal_positions(sizes.at("bptt"), sizes.at("embedding")))),
        mask_(register_buffer(
            "mask", at::full({sizes.at("bptt"), sizes.at("bptt")}, -std::numeric_limits<float>::infinity())
                        .triu_(1))) {
    for (std::int64_t i = 1; i <= sizes.at("layers"); ++i) {
      const EncoderLayer layer(sizes.at("embedding"), sizes.at("hidden"), sizes.at("heads"));
      layers_.push_back(register_module("layer" + std::to_string(i), layer));
    }
    decoder_ = register_module("decoder", Dense(sizes.at("embedding"), kVocabulary));
    constexpr double kRange = 0.1;
    nn::init::uniform_(embedding_->weight, -kRange, kRange);
    nn::init::uniform_(decoder_->weight, -kRange, kRange);
    nn::init::zeros_(decoder_->bias);
  }

  /// Returns the logits of the next token at each position: sequences, positions, vocabulary.
  at::Tensor predict(const at::Tensor& tokens) override {
    const at::Tensor embedded = embedding_->forward(tokens);
    const double scale = std::sqrt(static_cast<double>(embedded.size(2)));
    at::Tensor x = positions_.to(embedded.scalar_type()).add(embedded, scale);
    x = gpubench::dropout(x, kDropout, is_training());
    for (EncoderLayer& layer : layers_) x = layer->forward(x, mask_);
    return decoder_->forward(x);
  }

 private:
  /// Computes the mean in fp32 without an fp32 copy of the logits, which take most of the memory.
  Results compute(const Batch& batch) override {
    const at::Tensor losses =
        at::cross_entropy_loss(predict(batch.inputs).flatten(0, 1), batch.targets.flatten(),
                               /*weight=*/{}, at::Reduction::None);
    return {losses.to(at::kFloat).mean()};
  }

  nn::Embedding embedding_;
  std::vector<EncoderLayer> layers_;
  Dense decoder_{nullptr};
  at::Tensor positions_;
  at::Tensor mask_;  // Added to attention scores: 0 for visible positions, otherwise minus infinity.
};

}  // namespace

std::shared_ptr<Model> build_transformer_lm(const ModelSizes& sizes) {
  require_divisor(sizes, "heads", "embedding");
  return std::make_shared<TransformerLm>(sizes);
}

}  // namespace gpubench::transformer_lm_plugin
