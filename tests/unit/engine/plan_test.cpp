#include "engine/plan/plan.h"

#include <optional>
#include <set>
#include <tuple>

#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/train_grid.h"

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

std::vector<Case> plan(Words words) { return make_plan(points(words), kModels, kDatasets); }

/// Warm-up, minimum and maximum number of epochs, and the target.
using Length = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::optional<double>>;

Length find_length(Words words) {
  const TrainPoint asked = plan(words).at(0).asked;
  const auto& target = asked.target_rel_ci95;
  return {asked.warmup_epochs, asked.min_epochs, asked.epochs,
          target.has_value() ? std::optional(target.value()) : std::nullopt};
}

std::string refusal(Words words) {
  try {
    plan(words);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "accepted";
}

/// Returns eight cases, each `repeat` times.
std::vector<Case> many_cases(const char* repeat) {
  return plan({{"model", "flat"}, {"batch_size", "1,2,4,8,16,32,64,128"}, {"repeat", repeat}});
}

std::vector<std::int64_t> repeats(const std::vector<Case>& cases) {
  return mapped(cases, [](const Case& c) { return c.asked.repeat; });
}

}  // namespace

TEST_CASE("a plan varies models, devices, batch sizes and repeats, the last fastest") {
  const auto cases =
      plan({{"model", "flat,net0"}, {"device", "cuda:0,cpu"}, {"batch_size", "32,128"}, {"repeat", "2"}});
  REQUIRE(cases.size() == 16);
  CHECK(cases[0].asked.device == "cuda:0");
  CHECK(cases[0].model->name == "flat");
  CHECK(cases[0].asked.batch_size == 32);
  CHECK(cases[1].asked.repeat == 2);
  CHECK(cases[2].asked.batch_size == 128);
  CHECK(cases[4].asked.device == "cpu");
  CHECK(cases[8].model->name == "net0");
}

TEST_CASE("the default dataset is the first one that fits the model") {
  CHECK(plan({{"model", "flat"}})[0].dataset->name == "grey-set");
  CHECK(plan({{"model", "net0"}})[0].dataset->name == "colour-set");
  CHECK(plan({{"model", "flat"}})[0].source() == DataSource::kRealIfPossible);
}

TEST_CASE("a named dataset selects the variant of the architecture that fits it") {
  const auto cases = plan({{"model", "net"}, {"dataset", "colour-set"}});
  CHECK(cases[0].model->name == "net0");
  CHECK(cases[0].source() == DataSource::kReal);
}

TEST_CASE("a model that does not fit the named dataset is refused with a list of models that do") {
  const std::string why = refusal({{"model", "flat"}, {"dataset", "colour-set"}});
  CHECK_THAT(why, contains_text("--model flat: needs 1x28x28, 10 classes, but colour-set has 3x32x32"));
  CHECK_THAT(why, contains_text("net0"));
}

TEST_CASE("a dataset may take the shape of the model, in a folder of its own") {
  DatasetEntry any = dataset("any", kGrey);
  any.adapt = [](const DataSpec& wanted) { return wanted; };
  const Catalog<DatasetEntry> both{"dataset", {dataset("grey-set", kGrey), any}};
  const auto made = [&](const char* model, const char* chosen) {
    return make_case(points({{"model", model}, {"dataset", chosen}})[0], kModels, both);
  };
  CHECK(made("flat", "auto").dataset->name == "grey-set");
  CHECK(made("net0", "auto").dataset->name == "any");
  const Case c = made("net0", "any:my photos/all:new");
  CHECK(c.dataset->name == "any");
  CHECK(c.folder == "my photos/all:new");
  CHECK(data_spec(c) == kColour);
  CHECK(describe(c, {}).dataset == "any");
  CHECK(data_key(c) == data_key(made("net0", "any:my photos/all:new")));
  for (const Case& other :
       {made("net0", "any"), made("net0", "synthetic"), made("flat", "any:my photos/all:new")})
    CHECK(data_key(c) != data_key(other));
  CHECK_THAT(refusal({{"model", "flat"}, {"dataset", "grey-set:"}}),
             contains_text("--dataset grey-set:: lacks"));
}

TEST_CASE("an invalid value is refused with the name of its option") {
  const std::pair<const char*, const char*> wrong[] = {
      {"batch_size", "128,0"},  {"batch_size", "64,64"},   {"batch_size", "0/rank"},
      {"epochs", "0"},          {"epochs", "8..7"},        {"epochs", "5.."},
      {"epochs", "100001"},     {"max_samples", "-1"},     {"seed", "-1"},
      {"warmup_epochs", "5"},   {"learning_rate", "-0.5"}, {"repeat", "0"},
      {"target_rel_ci95", "0"}, {"target_rel_ci95", "1"},  {"target_rel_ci95", "nan"},
      {"world_size", "0"},      {"precision", "fp31"},     {"min_timed_seconds", "soon"}};
  for (const auto& [key, word] : wrong) {
    const std::string option = train_parameters().find(key)->use.option;
    CHECK_THAT(refusal({{"model", "flat"}, {key, word}}),
               contains_text(option + " ") || contains_text(option + ":"));
  }
}

TEST_CASE("a batch size per rank is multiplied by the world size") {
  const auto cases = plan({{"model", "flat"}, {"batch_size", "64/rank"}, {"world_size", "1,3"}});
  CHECK(cases[0].asked.batch_size == 64);
  CHECK(cases[1].asked.batch_size == 192);
}

TEST_CASE("the number of epochs is fixed, or a range with a target") {
  CHECK(find_length({{"model", "flat"}}) == Length{1, 3, 3, std::nullopt});
  CHECK(find_length({{"model", "flat"}, {"epochs", "9"}, {"warmup_epochs", "3"}}) ==
        Length{3, 9, 9, std::nullopt});
  CHECK(find_length({{"model", "flat"}, {"epochs", "1"}}) == Length{0, 1, 1, std::nullopt});
  CHECK(find_length({{"model", "flat"}, {"target_rel_ci95", "0.1"}}) == Length{1, 5, 200, 0.1});
  CHECK(find_length({{"model", "flat"}, {"epochs", "3..9"}}) == Length{1, 3, 9, 0.02});
  CHECK_THAT(refusal({{"model", "flat"}, {"epochs", "5"}, {"target_rel_ci95", "0.1"}}),
             contains_text("--target-ci: needs a range of epochs"));
}

TEST_CASE("every case runs once before any runs again") {
  const auto cases = many_cases("3");
  const auto order = execution_order(repeats(cases), 7);
  REQUIRE(order.size() == cases.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    CHECK(cases[order[i]].asked.repeat == static_cast<std::int64_t>(i / 8 + 1));
  }
  CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == cases.size());
}

TEST_CASE("rounds of repeats are shuffled differently, and reproducibly for a seed") {
  const auto cases = many_cases("2");
  const auto order = execution_order(repeats(cases), 7);
  CHECK(order == execution_order(repeats(cases), 7));
  CHECK(order != execution_order(repeats(cases), 8));
  const auto count_batches = [&](std::size_t first) {
    std::vector<std::int64_t> batches;
    for (std::size_t i = first; i < first + 8; ++i) batches.push_back(cases[order[i]].asked.batch_size);
    return batches;
  };
  CHECK(count_batches(0) != count_batches(8));
}

}  // namespace gpubench::test::plan_test
