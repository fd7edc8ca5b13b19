// Networks of Radford et al., "Unsupervised Representation Learning with Deep Convolutional Generative
// Adversarial Networks" (2016), as in PyTorch's examples. The loss uses logits instead of a sigmoid: the same
// function, accurate in every precision.

#include <c10/util/ScopeExit.h>

#include "blocks.h"

namespace gpubench::dcgan_plugin {
namespace {

constexpr std::int64_t kLatent = 100;  // Random numbers per generated image.
constexpr std::int64_t kColours = 3;
constexpr std::int64_t kSide = 64;
constexpr std::int64_t kMostFeatures = 512;  // Features at 4x4 positions.
constexpr std::int64_t kLeastFeatures = 64;  // Features next to the image.
constexpr double kSlope = 0.2;               // Slope of the leaky ReLU.
constexpr double kSpread = 0.02;             // Standard deviation of the initial weights.
constexpr AdamRecipe kRecipe{.learning_rate = 2e-4, .beta1 = 0.5};

// Positions in parameter_groups().
constexpr std::size_t kDiscriminator = 0;
constexpr std::size_t kGenerator = 1;

constexpr double kReal = 1;
constexpr double kFake = 0;

template <class Layer>
Layer with_weight_around(double mean, Layer layer) {
  const at::NoGradGuard no_grad;
  layer->weight.normal_(mean, kSpread);
  return layer;
}

/// 4x4 kernel. Stride 2 halves or doubles the positions; stride 1 converts between 4x4 and 1x1.
nn::Conv2d conv(std::int64_t in, std::int64_t out, std::int64_t stride) {
  const auto options = nn::Conv2dOptions(in, out, 4).stride(stride).padding(stride - 1).bias(false);
  return with_weight_around(0, nn::Conv2d(options));
}

nn::ConvTranspose2d transposed(std::int64_t in, std::int64_t out, std::int64_t stride) {
  const auto options = nn::ConvTranspose2dOptions(in, out, 4).stride(stride).padding(stride - 1).bias(false);
  return with_weight_around(0, nn::ConvTranspose2d(options));
}

nn::BatchNorm2d batch_norm(std::int64_t channels) { return with_weight_around(1, nn::BatchNorm2d(channels)); }

nn::LeakyReLU leaky_relu() {
  return nn::LeakyReLU(nn::LeakyReLUOptions().negative_slope(kSlope).inplace(true));
}

nn::Sequential make_generator() {
  nn::Sequential network(transposed(kLatent, kMostFeatures, 1), batch_norm(kMostFeatures), relu());
  for (std::int64_t features = kMostFeatures; features > kLeastFeatures; features /= 2) {
    network->push_back(transposed(features, features / 2, 2));
    network->push_back(batch_norm(features / 2));
    network->push_back(relu());
  }
  network->push_back(transposed(kLeastFeatures, kColours, 2));
  network->push_back(nn::Tanh());
  return network;
}

nn::Sequential make_discriminator() {
  nn::Sequential network(conv(kColours, kLeastFeatures, 2), leaky_relu());
  for (std::int64_t features = kLeastFeatures; features < kMostFeatures; features *= 2) {
    network->push_back(conv(features, 2 * features, 2));
    network->push_back(batch_norm(2 * features));
    network->push_back(leaky_relu());
  }
  network->push_back(conv(kMostFeatures, 1, 1));
  return network;
}

/// Converts [0, 1] to [-1, 1], the range of the generator's images.
at::Tensor normalized(const at::Tensor& images) { return images.sub(0.5).div_(0.5); }

/// Returns the mean loss of a discriminator whose correct answer is `answer`.
at::Tensor compute_loss(const at::Tensor& logits, double answer) {
  return at::binary_cross_entropy_with_logits(logits, at::full_like(logits, answer), {}, {},
                                              at::Reduction::Mean);
}

/// Logits of the discriminator for real and for generated images.
struct DiscriminatorLogits {
  at::Tensor real;
  at::Tensor fake;

  at::Tensor loss() const { return compute_loss(real, kReal) + compute_loss(fake, kFake); }
};

class Dcgan : public Model {
 public:
  Dcgan()
      : generator_(register_module("generator", make_generator())),
        discriminator_(register_module("discriminator", make_discriminator())) {}

  std::vector<ParameterGroup> parameter_groups() override {
    return {{"discriminator", discriminator_->parameters(), kRecipe},
            {"generator", generator_->parameters(), kRecipe}};
  }

  std::vector<std::string> metrics() const override {
    return {"discriminator_loss", "generator_loss", "real_score", "fake_score"};
  }

  bool is_adversarial() const override { return true; }

  /// Returns scores from before the discriminator's update.
  Results train_step(const Batch& batch, Step& step) override {
    const at::Tensor images = normalized(batch.inputs);
    at::Tensor fake;
    DiscriminatorLogits logits;
    const at::Tensor discriminator_loss = step.minimise(kDiscriminator, [&] {
      fake = generated_like(images);
      logits = discriminate(images, fake.detach());
      return logits.loss();
    });
    const at::Tensor generator_loss = step.minimise(kGenerator, [&] {
      train_discriminator(false);
      const auto thaw = c10::make_scope_exit([this] { train_discriminator(true); });
      return compute_loss(compute_logits(fake), kReal);
    });
    return {discriminator_loss, generator_loss, logits.real.detach(), logits.fake.detach()};
  }

  Results evaluate(const Batch& batch) override {
    const at::Tensor images = normalized(batch.inputs);
    const DiscriminatorLogits logits = discriminate(images, generated_like(images));
    return {logits.loss(), compute_loss(logits.fake, kReal), logits.real, logits.fake};
  }

  /// Generates an image per sample.
  at::Tensor predict(const at::Tensor& images) override { return generated_like(images); }

  /// `results`: mean losses of discriminator and generator, logits of real and of generated images.
  at::Tensor score(const Results& results, std::int64_t samples) const override {
    const auto mean_score = [](const at::Tensor& logits) { return logits.sigmoid().mean(1); };
    return at::stack({results[0], results[1], mean_score(results[2]), mean_score(results[3])}, 1)
        .mul_(samples);
  }

 private:
  void train_discriminator(bool is_trained) {
    for (const at::Tensor& parameter : discriminator_->parameters()) parameter.requires_grad_(is_trained);
  }

  at::Tensor generated_like(const at::Tensor& images) {
    return generator_->forward(at::randn({images.size(0), kLatent, 1, 1}, images.options()));
  }

  /// Processes real and generated images separately, since each has its own batch statistics.
  DiscriminatorLogits discriminate(const at::Tensor& images, const at::Tensor& fake) {
    at::Tensor real = compute_logits(images);
    return {std::move(real), compute_logits(fake)};
  }

  /// Returns fp32 in every precision, since the mean over a batch needs the digits.
  at::Tensor compute_logits(const at::Tensor& images) {
    return discriminator_->forward(images).flatten().to(at::kFloat);
  }

  nn::Sequential generator_;
  nn::Sequential discriminator_;
};

}  // namespace

std::shared_ptr<Model> build_dcgan(const ModelSizes&) { return std::make_shared<Dcgan>(); }

}  // namespace gpubench::dcgan_plugin
