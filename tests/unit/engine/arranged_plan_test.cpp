// Plans of models with size options, or whose samples differ from the dataset's.

#include "engine/plan/plan.h"
#include "engine/plan/work.h"
#include "gpubench/record/row_identity.h"
#include "support/catch.h"
#include "support/train_grid.h"

namespace gpubench::test::arranged_plan_test {
namespace {

Catalog<ModelEntry> some_models() {
  ModelEntry reader{"reader", "", "reader", {Task::kLanguage, {35}, 100}, "token", nullptr};
  reader.options = {{"layers", "", 2, 1, 8}, {"bptt", "", 35, 2, 64, DataEffect::kLength}};
  return {"model",
          {{"twins", "", "twins", {Task::kPairs, {2, 28, 28}, 2}, "pair", nullptr},
           {"painter", "", "painter", {Task::kImages, {1, 28, 28}, 0}, "image", nullptr},
           reader}};
}

Catalog<DatasetEntry> some_datasets() {
  std::vector<DatasetEntry> entries(2);
  entries[0].name = "grey-set";
  entries[0].spec = {Task::kClassification, {1, 28, 28}, 10};
  entries[1].name = "text";
  entries[1].spec = {Task::kLanguage, {}, 90};
  return {"dataset", entries};
}

const Catalog<ModelEntry> kModels = some_models();
const Catalog<DatasetEntry> kDatasets = some_datasets();

Case first_case(const char* model, const char* sizes = "", const char* limit = "0") {
  return make_case(points({{"model", model},
                           {"device", "cpu"},
                           {"batch_size", "4"},
                           {"sizes", sizes},
                           {"max_samples", limit}})
                       .front(),
                   kModels, kDatasets);
}

DataFacts facts(const DatasetEntry& entry, const SplitSizes& sizes) { return {sizes, false, entry.spec}; }

}  // namespace

TEST_CASE("a plan has a value for each size of a model and refuses other sizes") {
  CHECK(first_case("reader").sizes == ModelSizes{{"layers", 2}, {"bptt", 35}});
  CHECK(first_case("reader", "layers=4").sizes == ModelSizes{{"layers", 4}, {"bptt", 35}});
  CHECK_THROWS_AS(first_case("twins", "layers=4"), Error);
}

TEST_CASE("a row of a language model has the number of sequences, their length, and the sizes") {
  const Case c = first_case("reader", "bptt=10");
  const CaseRecord row = describe(c, facts(*c.dataset, {101, 0, 10}));
  CHECK(row.sizes == "bptt=10");
  CHECK(row.tokens_per_sample == 10);
  CHECK(row.train_samples == 10);
  CHECK(row.steps_per_epoch == 3);
  CHECK(row.test_samples == 0);  // Ten tokens have only nine targets.
}

TEST_CASE("max_samples limits the samples of the model, not those of the dataset") {
  const Case words = first_case("reader", "bptt=10", "3");
  CHECK(describe(words, facts(*words.dataset, {101, 0, 51})).train_samples == 3);
  const Case pairs = first_case("twins", "", "7");
  const CaseRecord row = describe(pairs, facts(*pairs.dataset, {50, 0, 5}));
  CHECK(row.train_samples == 7);
  CHECK(row.test_samples == 5);
  CHECK(row.tokens_per_sample == 0);
}

TEST_CASE("a case keeps its sizes in JSON") {
  const Case c = first_case("reader", "layers=3");
  const auto back = std::get<Case>(work_from_json(to_json(c), kModels, kDatasets));
  CHECK(back.sizes == c.sizes);
  CHECK(make_spec(back) == make_spec(c));
  CHECK(make_name(make_identity(describe(c, {}))) == "reader (layers=3) on cpu, text, batch 4");
}

}  // namespace gpubench::test::arranged_plan_test
