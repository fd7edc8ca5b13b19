#include "gpubench/engine/plan.h"

#include "support/catch.h"

using namespace gpubench;
using gpubench::test::contains_text;

namespace {

const DataSpec kGrey{Task::kClassification, {1, 28, 28}, 10};
const DataSpec kColour{Task::kClassification, {3, 32, 32}, 10};

Catalog<ModelEntry> some_models() {
  return {"model",
          {{"flat", "", "flat", kGrey, "image", nullptr},
           {"net", "", "net", kGrey, "image", nullptr},
           {"net0", "", "net", kColour, "image", nullptr}}};
}

DatasetEntry dataset(const std::string& name, const DataSpec& spec) {
  DatasetEntry entry{};
  entry.name = name;
  entry.spec = spec;
  return entry;
}

Catalog<DatasetEntry> some_datasets() {
  return {"dataset", {dataset("grey-set", kGrey), dataset("colour-set", kColour)}};
}

const Catalog<ModelEntry> kModels = some_models();
const Catalog<DatasetEntry> kDatasets = some_datasets();

std::vector<Case> plan(const PlanOptions& options, const std::vector<std::string>& devices = {"cpu"}) {
  return make_plan(options, devices, kModels, kDatasets);
}

std::string refusal(const PlanOptions& options) {
  try {
    plan(options);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

PlanOptions of(const std::string& model) {
  PlanOptions options;
  options.models = {model};
  return options;
}

}  // namespace

TEST_CASE("a plan is the grid of devices, models and batch sizes in that order") {
  PlanOptions options;
  options.models = {"flat", "net0"};
  options.batch_sizes = {32, 128};
  const auto cases = plan(options, {"cuda:0", "cpu"});
  REQUIRE(cases.size() == 8);
  CHECK(cases[0].device == "cuda:0");
  CHECK(cases[0].model->name == "flat");
  CHECK(cases[0].batch_size == 32);
  CHECK(cases[1].batch_size == 128);
  CHECK(cases[2].model->name == "net0");
  CHECK(cases[4].device == "cpu");
}

TEST_CASE("the automatic dataset is the first one whose samples the model takes") {
  CHECK(plan(of("flat"))[0].dataset->name == "grey-set");
  CHECK(plan(of("net0"))[0].dataset->name == "colour-set");
  CHECK(plan(of("flat"))[0].source == DataSource::kRealIfPossible);
}

TEST_CASE("a named dataset picks the size of the architecture that takes it") {
  PlanOptions options = of("net");
  options.dataset = "colour-set";
  const auto cases = plan(options);
  CHECK(cases[0].model->name == "net0");
  CHECK(cases[0].source == DataSource::kReal);
}

TEST_CASE("synthetic data stands in for the dataset of the model") {
  PlanOptions options = of("net0");
  options.dataset = "synthetic";
  CHECK(plan(options)[0].dataset->name == "colour-set");
  CHECK(plan(options)[0].source == DataSource::kSynthetic);
}

TEST_CASE("a model that does not take the named dataset is refused with those that do") {
  PlanOptions options = of("flat");
  options.dataset = "colour-set";
  CHECK_THAT(refusal(options),
             contains_text("--model flat takes 1x28x28, 10 classes, but colour-set has 3x32x32"));
  CHECK_THAT(refusal(options), contains_text("net0"));
}

TEST_CASE("unknown names are refused with the nearest known one") {
  CHECK_THAT(refusal(of("falt")), contains_text("--model: unknown model 'falt'; did you mean 'flat'?"));
  PlanOptions options = of("flat");
  options.dataset = "gray-set";
  CHECK_THAT(refusal(options),
             contains_text("--dataset: unknown dataset 'gray-set'; did you mean 'grey-set'?"));
}

TEST_CASE("values out of range are refused and name their option") {
  PlanOptions options;
  options.models = {"flat"};
  const PlanOptions good = options;
  CHECK(refusal(good) == "accepted");

  options.batch_sizes = {128, 0};
  CHECK_THAT(refusal(options), contains_text("--batch 0"));
  options = good;
  options.epochs = 0;
  CHECK_THAT(refusal(options), contains_text("--epochs 0"));
  options = good;
  options.limit = -1;
  CHECK_THAT(refusal(options), contains_text("--limit -1"));
  options = good;
  options.seed = -1;
  CHECK_THAT(refusal(options), contains_text("--seed -1"));
  options = good;
  options.warmup_epochs = 5;
  CHECK_THAT(refusal(options), contains_text("--warmup 5"));
  options = good;
  options.learning_rate = -0.5;
  CHECK_THAT(refusal(options), contains_text("--learning-rate -0.5"));
}

TEST_CASE("one epoch is dropped by default, unless it is the only one") {
  PlanOptions options = of("flat");
  CHECK(plan(options)[0].warmup_epochs == 1);
  options.epochs = 1;
  CHECK(plan(options)[0].warmup_epochs == 0);
  options.epochs = 9;
  options.warmup_epochs = 3;
  CHECK(plan(options)[0].warmup_epochs == 3);
}
