// Complete cases of the networks that are not classifiers.

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/figure.h"
#include "tiny.h"

namespace gpubench::test::workloads_test {
namespace {

constexpr std::int64_t kSamples = 24;
constexpr std::int64_t kBatch = 8;

CaseRecord run_on_cpu(const std::string& model, const TrainingMode& mode) {
  const auto device = open_device("cpu");
  return run_network(model, mode, kBatch, kSamples, *device);
}

double last(const CaseRecord& record) { return record.training.front().second.back(); }

}  // namespace

TEST_CASE("each network of the PyTorch examples trains, is counted and evaluated") {
  const std::string model = GENERATE("siamese", "transformer_lm", "vae");
  const CaseRecord record = run_on_cpu(model, {});
  INFO(model << ": " << record.status_reason);
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.trained_steps == 9);
  // SGD at a rate of 20 needs more than nine steps.
  if (model != "transformer_lm") CHECK(last(record) < record.training.front().second.front());
  CHECK(record.test.has_value());
  CHECK(record.train_flop_per_sample.value() > 2 * 2 * static_cast<double>(record.forward_macs.value()));
  CHECK(figure(record, "perplexity").has_value() == (model == "transformer_lm"));
  CHECK(figure(record, "elbo").has_value() == (model == "vae"));
}

TEST_CASE("a GAN trains both networks, and a rising loss of one does not count as divergence") {
  const CaseRecord record = run_on_cpu("dcgan", {});
  INFO(record.status_reason);
  REQUIRE(record.status == RowStatus::kOk);
  CHECK(record.optimizer.find(" + ") != std::string::npos);
  CHECK(find_value(record.test, "generator_loss").has_value());
  CHECK(find_value(record.test, "discriminator_loss").has_value());
}

TEST_CASE("pairs and sequences train from host memory as from device memory") {
  const std::string model = GENERATE("siamese", "transformer_lm");
  const CaseRecord host = run_on_cpu(model, {.loader = Loader::kHost});
  INFO(model << ": " << host.status_reason);
  REQUIRE(host.status == RowStatus::kOk);
  CHECK(host.trained_steps == 9);
  // The weights are equal, so the first losses differ only by the samples of the first batch.
  CHECK(host.initial_loss.value() == approx(run_on_cpu(model, {}).initial_loss.value()).epsilon(0.1));
}

}  // namespace gpubench::test::workloads_test
