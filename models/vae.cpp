// Variational autoencoder of Kingma and Welling, "Auto-Encoding Variational Bayes" (2014), as in PyTorch's
// examples. The loss uses logits instead of a sigmoid: the same function, accurate in every precision.

#include "blocks.h"

namespace gpubench::vae_plugin {
namespace {

constexpr std::int64_t kPixels = 28 * 28;
constexpr std::int64_t kHidden = 400;
constexpr std::int64_t kLatent = 20;

/// Diagonal Gaussian per image.
struct Gaussian {
  at::Tensor mean;
  at::Tensor log_variance;

  at::Tensor sample() const { return mean.addcmul(at::randn_like(mean), log_variance.mul(0.5).exp()); }

  /// Kullback-Leibler divergence from the standard normal distribution, appendix B of the paper.
  at::Tensor divergence() const {
    return (1 + log_variance - mean.square() - log_variance.exp()).sum().mul(-0.5);
  }
};

class Vae : public SingleLossModel {
 public:
  Vae()
      : SingleLossModel({"loss", "reconstruction", "divergence"}),
        encoder_(register_module("encoder", Dense(kPixels, kHidden))),
        mean_(register_module("mean", Dense(kHidden, kLatent))),
        log_variance_(register_module("log_variance", Dense(kHidden, kLatent))),
        decoder_(register_module("decoder", Dense(kLatent, kHidden))),
        pixels_(register_module("pixels", Dense(kHidden, kPixels))) {}

  bool sums_losses() const override { return true; }

  /// Returns the logits of the reconstructed pixels.
  at::Tensor predict(const at::Tensor& images) override {
    const at::Tensor pixels = images.flatten(1);
    return decode(encode(pixels), pixels.scalar_type());
  }

  /// `results`: sums over the batch.
  at::Tensor score(const Results& results, std::int64_t) const override { return at::stack(results, 1); }

 private:
  Gaussian encode(const at::Tensor& pixels) {
    const at::Tensor hidden = encoder_->forward(pixels).relu_();
    return {mean_->forward(hidden).to(at::kFloat), log_variance_->forward(hidden).to(at::kFloat)};
  }

  at::Tensor decode(const Gaussian& codes, at::ScalarType type) {
    return pixels_->forward(decoder_->forward(codes.sample().to(type)).relu_());
  }

  /// Returns the negative evidence lower bound and its terms, in fp32, since a sum over a batch needs the
  /// digits.
  Results compute(const Batch& batch) override {
    const at::Tensor pixels = batch.inputs.flatten(1);
    const Gaussian codes = encode(pixels);
    const at::Tensor logits = decode(codes, pixels.scalar_type());
    const at::Tensor reconstruction = at::binary_cross_entropy_with_logits(
        logits.to(at::kFloat), pixels.to(at::kFloat), {}, {}, at::Reduction::Sum);
    const at::Tensor divergence = codes.divergence();
    return {reconstruction + divergence, reconstruction, divergence};
  }

  Dense encoder_;
  Dense mean_;
  Dense log_variance_;
  Dense decoder_;
  Dense pixels_;
};

}  // namespace

std::shared_ptr<Model> build_vae(const ModelSizes&) { return std::make_shared<Vae>(); }

}  // namespace gpubench::vae_plugin
