#pragma once
// Layers of pre-norm transformers: GPT-2 (Radford et al., "Language Models are Unsupervised Multitask
// Learners", 2019, section 2.3) and ViT (Dosovitskiy et al., "An Image is Worth 16x16 Words", 2021).

#include <functional>

#include "blocks.h"

namespace gpubench {

/// Sizes and variants of a transformer block.
struct TransformerSizes {
  std::int64_t width = 0;     ///< Values per position.
  std::int64_t heads = 1;     ///< Divides the width.
  std::int64_t hidden = 0;    ///< Width between the two dense layers.
  bool is_causal = false;     ///< Each position attends to itself and to earlier positions only.
  bool is_gelu_exact = true;  ///< False: the tanh approximation of GELU.
  double epsilon = 1e-5;      ///< Epsilon of the layer normalizations.
};

/// x + attention(norm(x)), then x + dense(gelu(dense(norm(x)))).
class TransformerBlockImpl : public nn::Module {
 public:
  explicit TransformerBlockImpl(const TransformerSizes& sizes);

  /// `x`: samples, positions, width.
  at::Tensor forward(const at::Tensor& x);

  /// Calls `draw` for each matrix, three of which yield queries, keys and values. Sets biases to 0.
  /// `is_residual`: the matrix is the last before a shortcut.
  void initialize(const std::function<void(const at::Tensor& weight, bool is_residual)>& draw);

 private:
  at::Tensor attend(const at::Tensor& x);

  TransformerSizes sizes_;
  nn::LayerNorm attention_norm_;
  Dense attention_in_;
  Dense attention_out_;
  nn::LayerNorm dense_norm_;
  Dense expansion_;
  Dense contraction_;
};
TORCH_MODULE(TransformerBlock);

/// Computes the summed cross-entropy of linear(rows, weight): float32, shape {}. The gradient of the logits
/// replaces the logits, which are most of the memory of a language model.
/// `rows`: positions, width. `weight`: classes, width. `targets`: positions.
at::Tensor linear_cross_entropy(const at::Tensor& rows, const at::Tensor& weight, const at::Tensor& targets);

}  // namespace gpubench
