#include <algorithm>
#include <cmath>

#include <ATen/core/grad_mode.h>

#include "generative.h"
#include "support/catch.h"

using namespace gpubench;
using namespace gpubench::test;

namespace {

constexpr std::size_t kDiscriminator = 0;
constexpr std::size_t kGenerator = 1;
using Parameters = std::vector<at::Tensor>;

Parameters copies(const Parameters& tensors) {
  Parameters all;
  for (const at::Tensor& tensor : tensors) all.push_back(tensor.detach().clone());
  return all;
}

bool is_any_equal(const Parameters& a, const Parameters& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i].equal(b[i])) return true;
  }
  return false;
}

bool are_equal(const Parameters& a, const Parameters& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const at::Tensor& x, const at::Tensor& y) { return x.equal(y); });
}

bool are_trainable(const Parameters& parameters) {
  return std::all_of(parameters.begin(), parameters.end(),
                     [](const at::Tensor& parameter) { return parameter.requires_grad(); });
}

std::int64_t count(const ParameterGroup& group) {
  std::int64_t sum = 0;
  for (const at::Tensor& parameter : group.parameters) sum += parameter.numel();
  return sum;
}

/// Makes the generator's loss throw.
class BrokenStep : public Descent {
 public:
  explicit BrokenStep(Model& model) : Descent(model, 0.01), model_(model) {}

  at::Tensor minimise(std::size_t group, const std::function<at::Tensor()>& loss_of) override {
    if (group == kGenerator) model_.to(at::kDouble);
    return Descent::minimise(group, loss_of);
  }

 private:
  Model& model_;
};

}  // namespace

TEST_CASE("the DCGAN's discriminator has 2,765,568 parameters and its generator 3,576,704") {
  const auto groups = built("dcgan")->parameter_groups();
  REQUIRE(groups.size() == 2);
  CHECK(groups[kDiscriminator].name == "discriminator");
  CHECK(count(groups[kDiscriminator]) == 2765568);
  CHECK(count(groups[kGenerator]) == 3576704);
}

TEST_CASE("the DCGAN's weights are drawn around 0, those of batch normalisation around 1, biases are 0") {
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

TEST_CASE("a discriminator that knows nothing loses 2 ln 2 and says one half, and the generator loses ln 2") {
  const auto model = built("dcgan");
  fill(model->parameter_groups()[kDiscriminator].parameters, 0);
  const at::NoGradGuard no_grad;
  model->eval();
  const at::Tensor sums = evaluation_sums(*model, random_batch("dcgan", 3));
  CHECK(value(sums, 0) == approx(3 * 2 * std::log(2)));
  CHECK(value(sums, 1) == approx(3 * std::log(2)));
  CHECK(value(sums, 2) == approx(1.5));
  CHECK(value(sums, 3) == approx(1.5));
}

TEST_CASE("a step of the DCGAN changes every parameter of both networks") {
  const auto model = built("dcgan");
  const Parameters before = copies(model->parameters());
  Descent step(*model, 0.1);
  model->train_step(random_batch("dcgan", 2), step);
  CHECK_FALSE(is_any_equal(model->parameters(), before));
}

TEST_CASE("each network of the DCGAN lowers its own loss, and leaves the other network as it is") {
  const Batch batch = random_batch("dcgan", 3);
  for (const std::size_t trained : {kDiscriminator, kGenerator}) {
    INFO(trained);
    const auto model = built("dcgan");
    const auto groups = model->parameter_groups();
    const Parameters others = copies(groups[1 - trained].parameters);
    Descent step(*model, 0.02, trained);
    const auto metric = static_cast<std::int64_t>(trained);
    const float first = value(seeded_step(*model, batch, step), metric);
    seeded_step(*model, batch, step);
    CHECK(value(seeded_step(*model, batch, step), metric) < 0.95F * first);
    CHECK(are_equal(groups[1 - trained].parameters, others));
  }
}

TEST_CASE("real and generated images have statistics of their own in the discriminator's normalisation") {
  const auto model = built("dcgan");
  Descent step(*model, 0.01);
  model->train_step(random_batch("dcgan", 2), step);
  for (const auto& buffer : model->named_buffers()) {
    if (!buffer.key().ends_with("num_batches_tracked")) continue;
    INFO(buffer.key());
    // The discriminator sees the generated ones once more when the generator is trained.
    CHECK(buffer.value().item<std::int64_t>() == (buffer.key().starts_with("generator") ? 1 : 3));
  }
}

TEST_CASE("training the generator computes no gradients of the discriminator, which stays trainable") {
  const auto model = built("dcgan");
  const Batch batch = random_batch("dcgan", 2);
  const Parameters discriminator = model->parameter_groups()[kDiscriminator].parameters;
  Descent step(*model, 0.01);
  model->train_step(batch, step);
  for (const at::Tensor& parameter : discriminator) CHECK_FALSE(parameter.grad().defined());
  CHECK(are_trainable(discriminator));
  BrokenStep broken(*model);
  CHECK_THROWS(model->train_step(batch, broken));
  CHECK(are_trainable(discriminator));
}

TEST_CASE("the DCGAN trains in bf16 and with channels last") { check_formats("dcgan"); }
