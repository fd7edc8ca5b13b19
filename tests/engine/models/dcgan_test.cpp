#include <cmath>

#include "generative.h"
#include "support/catch.h"

namespace gpubench::test::dcgan_test {

TEST_CASE("initial weights of the DCGAN have mean 0, of batch normalization mean 1, biases are 0") {
  for (const auto& named : built("dcgan")->named_parameters()) {
    INFO(named.key());
    const at::Tensor& parameter = named.value();
    if (named.key().ends_with("bias")) {
      CHECK(parameter.count_nonzero().item<std::int64_t>() == 0);
      continue;
    }
    const double four_standard_errors = 4 / std::sqrt(static_cast<double>(parameter.numel()));
    const double centre = parameter.dim() == 4 ? 0 : 1;
    CHECK(std::abs(parameter.mean().item<double>() - centre) < 0.02 * four_standard_errors);
    CHECK(std::abs(parameter.std().item<double>() / 0.02 - 1) < four_standard_errors);
  }
}

TEST_CASE("a zero discriminator has loss 2 ln 2 and score 1/2, and the generator has loss ln 2") {
  const auto model = built("dcgan");
  fill(model->parameter_groups().front().parameters, 0);
  const at::Tensor sums = evaluation_sums(*model, random_batch("dcgan", 3));
  CHECK(value(sums, 0) == approx(3 * 2 * std::log(2)));
  CHECK(value(sums, 1) == approx(3 * std::log(2)));
  CHECK(value(sums, 2) == approx(1.5));
  CHECK(value(sums, 3) == approx(1.5));
}

TEST_CASE("real and generated images have separate statistics in the discriminator's normalization") {
  const auto model = built("dcgan");
  Descent step(*model, 0.01);
  model->train_step(random_batch("dcgan", 2), step);
  for (const auto& buffer : model->named_buffers()) {
    if (!buffer.key().ends_with("num_batches_tracked")) continue;
    INFO(buffer.key());
    // Training the generator passes the generated images through the discriminator again.
    CHECK(buffer.value().item<std::int64_t>() == (buffer.key().starts_with("generator") ? 1 : 3));
  }
}

TEST_CASE("the DCGAN trains in bf16 and with channels last") { check_formats("dcgan"); }

}  // namespace gpubench::test::dcgan_test
