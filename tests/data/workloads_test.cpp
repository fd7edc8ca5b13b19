// Rows of networks other than classifiers.

#include <nlohmann/json.hpp>

#include "data/golden_text.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test::workloads_test {
namespace {

CaseRecord row(const std::string& model, const std::string& item, const NamedValues& test) {
  CaseRecord record = finished_case();
  record.model = model;
  record.item = item;
  record.training = {{test.front().first, {4, 3, 2.5, 2.25, 2}}};
  record.test = test;
  record.validation = missing("protocol epoch evaluates the test split");
  return record;
}

CaseRecord language_row() {
  CaseRecord record = row("transformer_lm", "token", {{"loss", 5}});
  record.dataset = "wikitext2";
  record.sizes = "embedding=500,layers=4";
  record.tokens_per_sample = 35;
  return record;
}

RunRecord make_run(const std::vector<CaseRecord>& cases) {
  RunRecord run = empty_run();
  run.cases = cases;
  return run;
}

RunRecord workloads_run() {
  return make_run({row("dcgan", "image", {{"discriminator_loss", 0.5}, {"generator_loss", 2.75}}),
                   row("siamese", "pair", {{"loss", 0.25}, {"accuracy", 0.875}}), language_row(),
                   row("vae", "image", {{"loss", 104.5}, {"reconstruction", 79.25}, {"divergence", 25.25}})});
}

}  // namespace

TEST_CASE("each kind of network has its figures in table and file") {
  check_golden("workloads.txt", outcome_text(workloads_run()));
  const auto document = nlohmann::json::parse(run_document(workloads_run()));
  CHECK(schema_errors(document) == std::vector<std::string>());
  const auto& cases = document["results"];
  CHECK(cases[0]["figures"]["discriminator_loss"] == 0.5);
  CHECK(cases[0]["figures"]["generator_loss"] == 2.75);
  CHECK(cases[0]["figures"]["accuracy"].is_null());
  CHECK(cases[1]["figures"]["accuracy"] == 0.875);
  CHECK(cases[2]["figures"]["perplexity"].get<double>() == approx(148.413));
  CHECK(cases[2]["figures"]["tokens_per_second"].get<double>() == approx(3465346.5));
  CHECK(cases[3]["figures"]["elbo"] == -104.5);
}

TEST_CASE("figures without values have no columns") {
  const std::string table = outcome_text(make_run({finished_case()}));
  for (const char* label : {"tokens/s", "perplexity", "ELBO", "D loss", "G loss", "sizes"}) {
    CHECK_THAT(table, !contains_text(label));
  }
}

TEST_CASE("a perplexity of NaN is omitted") {
  CaseRecord record = language_row();
  record.test = NamedValues{{"loss", 1000}};
  const auto document = nlohmann::json::parse(run_document(make_run({record})));
  CHECK_FALSE(document["results"][0]["figures"].contains("perplexity"));
}

}  // namespace gpubench::test::workloads_test
