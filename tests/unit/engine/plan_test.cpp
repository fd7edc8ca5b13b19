#include "engine/plan/plan.h"

#include <limits>
#include <set>

#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::plan_test {
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

StoppingRule rule(const PlanOptions& options) { return plan(options).at(0).stopping; }

std::string refusal(const PlanOptions& options) {
  try {
    plan(options);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

/// Eight cases, each so many times.
std::vector<Case> many_cases(std::int64_t repeat) {
  PlanOptions options;
  options.models = {"flat"};
  options.batch_sizes = {1, 2, 4, 8, 16, 32, 64, 128};
  options.repeat = repeat;
  return plan(options);
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

TEST_CASE("a model that does not take the named dataset is refused with those that do") {
  PlanOptions options = of("flat");
  options.dataset = "colour-set";
  CHECK_THAT(refusal(options),
             contains_text("--model flat takes 1x28x28, 10 classes, but colour-set has 3x32x32"));
  CHECK_THAT(refusal(options), contains_text("net0"));
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
  CHECK_THAT(refusal(options), contains_text("--max-samples -1"));
  options = good;
  options.seed = -1;
  CHECK_THAT(refusal(options), contains_text("--seed -1"));
  options = good;
  options.warmup_epochs = 5;
  CHECK_THAT(refusal(options), contains_text("--warmup 5"));
  options = good;
  options.learning_rate = -0.5;
  CHECK_THAT(refusal(options), contains_text("--learning-rate -0.5"));
  options = good;
  options.repeat = 0;
  CHECK_THAT(refusal(options), contains_text("--repeat 0: at least 1 is needed"));
}

TEST_CASE("the number of epochs is fixed where nothing says otherwise") {
  PlanOptions options = of("flat");
  CHECK(rule(options) == StoppingRule{1, 5, 5, std::nullopt});
  options.epochs = 9;
  CHECK(rule(options) == StoppingRule{1, 9, 9, std::nullopt});
  options.warmup_epochs = 3;
  CHECK(rule(options) == StoppingRule{3, 9, 9, std::nullopt});
}

TEST_CASE("any of the options for it makes the number of epochs depend on their times") {
  PlanOptions options = of("flat");
  options.target_rel_ci95 = 0.1;
  CHECK(rule(options) == StoppingRule{1, 5, 200, 0.1});
  options = of("flat");
  options.min_epochs = 300;
  CHECK(rule(options) == StoppingRule{1, 300, 300, 0.02});
  options = of("flat");
  options.max_epochs = 3;
  CHECK(rule(options) == StoppingRule{1, 3, 3, 0.02});
  options.min_epochs = 1;
  CHECK(rule(options) == StoppingRule{0, 1, 3, 0.02});
}

TEST_CASE("a fixed number of epochs and a target for it exclude each other") {
  const auto with_epochs = [](auto member, auto value) {
    PlanOptions options = of("flat");
    options.epochs = 5;
    options.*member = value;
    return refusal(options);
  };
  CHECK_THAT(with_epochs(&PlanOptions::min_epochs, 5), contains_text("--epochs fixes their number"));
  CHECK_THAT(with_epochs(&PlanOptions::max_epochs, 5), contains_text("--epochs fixes their number"));
  CHECK_THAT(with_epochs(&PlanOptions::target_rel_ci95, 0.1), contains_text("--epochs fixes their number"));
}

TEST_CASE("a rule that cannot be followed is refused and names its option") {
  PlanOptions options = of("flat");
  options.min_epochs = 0;
  CHECK_THAT(refusal(options), contains_text("--min-epochs 0"));
  options.min_epochs = 8;
  options.max_epochs = 7;
  CHECK_THAT(refusal(options), contains_text("--max-epochs 7: is below the fewest epochs, 8"));
  options = of("flat");
  options.max_epochs = 0;
  CHECK_THAT(refusal(options), contains_text("--max-epochs 0"));
  for (const double target : {0.0, -0.5, 1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options = of("flat");
    options.target_rel_ci95 = target;
    CHECK_THAT(refusal(options), contains_text("--target-ci "));
  }
  options = of("flat");
  options.min_epochs = 3;
  options.warmup_epochs = 3;
  CHECK_THAT(refusal(options), contains_text("--warmup 3"));
}

TEST_CASE("the repetitions of a case follow each other in the plan, counted from 1") {
  PlanOptions options = of("flat");
  options.batch_sizes = {32, 64};
  options.repeat = 3;
  const auto cases = plan(options);
  REQUIRE(cases.size() == 6);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    CHECK(cases[i].batch_size == (i < 3 ? 32 : 64));
    CHECK(cases[i].repeat == static_cast<std::int64_t>(i % 3 + 1));
  }
}

TEST_CASE("every case runs once before any runs again") {
  const auto cases = many_cases(3);
  const auto order = execution_order(mapped(cases, &Case::repeat), 7);
  REQUIRE(order.size() == cases.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(cases[order[i]].repeat == static_cast<std::int64_t>(i / 8 + 1));
  }
  CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == cases.size());
}

TEST_CASE("rounds of repetitions are shuffled, each in its own way, the same for the same seed") {
  const auto cases = many_cases(2);
  const auto order = execution_order(mapped(cases, &Case::repeat), 7);
  CHECK(order == execution_order(mapped(cases, &Case::repeat), 7));
  CHECK(order != execution_order(mapped(cases, &Case::repeat), 8));
  const auto count_batches = [&](std::size_t first) {
    std::vector<std::int64_t> batches;
    for (std::size_t i = first; i < first + 8; ++i) batches.push_back(cases[order[i]].batch_size);
    return batches;
  };
  CHECK(count_batches(0) != count_batches(8));
}

}  // namespace gpubench::test::plan_test
