#include "engine/training/agreement.h"

#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "support/catch.h"

namespace gpubench::test::agreement_test {

namespace {

/// Of a network that magnifies no rounding.
std::string disagreement(const TrainingResult& plain, const TrainingResult& other, Tolerance tolerance) {
  return gpubench::disagreement(plain, plain, other, tolerance);
}

TrainingResult result_with(std::vector<double> losses, const at::Tensor& long_one,
                           const at::Tensor& short_one) {
  return {std::move(losses), {{"the long one", long_one}, {"the short one", short_one}}};
}

}  // namespace

TEST_CASE("results that differ by rounding agree, whatever the strides of their tensors") {
  at::manual_seed(1);
  const at::Tensor image = at::randn({2, 3, 4, 5});
  const at::Tensor last = image.contiguous(at::MemoryFormat::ChannelsLast) * (1 + 1e-6);
  CHECK(host_copy(last).is_contiguous());
  const at::Tensor rest = at::randn({7});
  CHECK(disagreement(result_with({2.3, 2.2}, host_copy(image), rest),
                     result_with({2.3 + 1e-6, 2.2}, host_copy(last), rest),
                     find_tolerance(Precision::kFp32)) == "");
}

TEST_CASE("what disagrees is named: a loss, or a tensor") {
  at::manual_seed(1);
  const at::Tensor image = at::randn({2, 3, 4, 5});
  const at::Tensor rest = at::randn({7});
  const Tolerance strict = find_tolerance(Precision::kFp32);
  const TrainingResult plain = result_with({2.3, 2.2}, image, rest);
  CHECK(disagreement(plain, result_with({2.3, 2.5}, image, rest), strict) ==
        "loss 2 of the trial is 2.2 and 2.5");
  CHECK_THAT(disagreement(plain, result_with({2.3, 2.2}, image, rest * 1.5), strict),
             contains_text("the short one is 0.5 of its length apart"));
  // The right numbers in wrong places: in every precision.
  for (const Precision precision : {Precision::kFp32, Precision::kTf32, Precision::kBf16, Precision::kFp16,
                                    Precision::kAmpBf16, Precision::kAmpFp16}) {
    const TrainingResult wrong = result_with({2.3, 2.2}, image.flip({0, 1, 2, 3}).contiguous(), rest);
    CHECK_THAT(disagreement(plain, wrong, find_tolerance(precision)), contains_text("the long one"));
  }
}

TEST_CASE("where rounding moves training far, another mode may be as far away, and no farther") {
  at::manual_seed(1);
  const at::Tensor early = at::randn({40});
  const at::Tensor late = at::randn({7});
  const Tolerance strict = find_tolerance(Precision::kFp32);
  const TrainingResult plain = result_with({2.3, 2.0}, early, late);
  const TrainingResult perturbed = result_with({2.3, 1.97}, early + 0.3 * at::randn({40}), late);
  const at::Tensor also_early = early + 0.4 * at::randn({40});
  CHECK(gpubench::disagreement(plain, perturbed, result_with({2.3, 2.06}, also_early, late), strict) == "");
  // The first loss and the late tensor are where they were.
  CHECK_THAT(gpubench::disagreement(plain, perturbed, result_with({2.4, 2.0}, also_early, late), strict),
             contains_text("loss 1"));
  CHECK_THAT(
      gpubench::disagreement(plain, perturbed, result_with({2.3, 2.0}, also_early, late * 1.3), strict),
      contains_text("the short one"));
  CHECK_THAT(gpubench::disagreement(plain, perturbed, result_with({2.3, 2.2}, early, late), strict),
             contains_text("loss 2"));
}

TEST_CASE("parameters are perturbed by what their precision rounds by, in their own layout") {
  at::manual_seed(1);
  const at::Tensor weight = at::randn({4, 3, 5, 5}).contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor before = weight.clone();
  perturb({weight}, Precision::kFp32);
  const double moved = ((weight - before).norm() / before.norm()).item<double>();
  CHECK(moved > 1e-8);
  CHECK(moved < 1e-6);
  perturb({weight}, Precision::kAmpBf16);
  const double moved_more = ((weight - before).norm() / before.norm()).item<double>();
  CHECK(moved_more > 1e-3);
  CHECK(moved_more < 0.05);
  CHECK(weight.is_contiguous(at::MemoryFormat::ChannelsLast));
}

}  // namespace gpubench::test::agreement_test
