// Documents of published figures.

#include <fstream>

#include "gpubench/core/error.h"
#include "gpubench/record/derived.h"
#include "record/document/json.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test::published_test {
namespace {

// The order of keys does not matter.
using Unordered = nlohmann::json;

Json reference(const std::string& name = "m1-ultra-rtx-2070-super") {
  std::ifstream in(source_dir() + "/results/reference/" + name + ".json");
  REQUIRE(in);
  return Json::parse(in);
}

const CaseRecord& case_on(const RunRecord& run, const std::string& model, const std::string& device,
                          std::int64_t batch, const std::string& sizes = "") {
  for (const CaseRecord& record : run.cases) {
    const bool is_wanted = record.model == model && record.device == device && record.batch_size == batch &&
                           (sizes.empty() || record.sizes == sizes);
    if (is_wanted) return record;
  }
  FAIL("no such case: " << model << " on " << device);
  return run.cases.front();
}

std::string complaint(const Json& document) {
  try {
    run_from_json(document);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::vector<std::string> list_errors(const Json& document) {
  return schema_errors(Unordered::parse(document.dump()));
}

}  // namespace

TEST_CASE("published figures are valid and survive reading and writing") {
  const Json document = reference(GENERATE("m1-ultra-rtx-2070-super", "llm-c", "nanogpt"));
  CHECK(list_errors(document) == std::vector<std::string>());
  CHECK(Unordered(sealed(run_to_json(run_from_json(document)))) == Unordered(document));
}

TEST_CASE("all published rows are present, including failures") {
  const RunRecord run = run_from_json(reference());
  REQUIRE(run.published);
  CHECK(run.cases.size() == 33);
  CHECK(case_on(run, "siamese", "M1 Ultra GPU", 1024).epoch_seconds == std::vector<double>{15.547});
  CHECK(case_on(run, "dcgan", "M1 Ultra GPU", 64).status == RowStatus::kError);
  const std::string largest = "embedding=500,hidden=1024,layers=10";
  CHECK(case_on(run, "transformer_lm", "RTX 2070 Super", 200, largest).status == RowStatus::kOutOfMemory);
}

TEST_CASE("published steps of a language model become tokens per second") {
  const RunRecord run = run_from_json(reference("llm-c"));
  const auto rate = [&](const std::string& device, std::int64_t batch) {
    const CaseRecord& record = case_on(run, "gpt2", device, batch);
    return samples_per_second(record).value() * static_cast<double>(record.tokens_per_sample);
  };
  CHECK(rate("A100-SXM4-80GB", 512) == approx(524'288 / 0.3));
  CHECK(rate("Blackwell GPU", 4) == approx(4 * 1024 / 44.57e-3));
  CHECK(rate("M3 Max CPU", 4) == approx(4 * 64 / 1.323779));
}

TEST_CASE("a bound on a published figure does not become a figure") {
  const RunRecord run = run_from_json(reference());
  const NamedValues& first = run.published->figures.front();
  CHECK(first ==
        NamedValues{{"memory_below_bytes", 3e8}, {"temperature_celsius", 47.0}, {"power_watts", 35.0}});
  CHECK_FALSE(run.cases.front().peak_host.has_value());
}

TEST_CASE("a measured run has no published object, and a published one no tool") {
  CHECK_FALSE(run_to_json(mixed_run()).contains("published"));
  Json document = reference();
  document["tool"] = run_to_json(mixed_run()).at("tool");
  CHECK_FALSE(list_errors(document).empty());
  document = sealed(run_to_json(mixed_run()));
  document.erase("tool");
  CHECK_FALSE(list_errors(document).empty());
}

TEST_CASE("a published case that is ok without an epoch, or failed with one, is a fault") {
  Json document = reference();
  document["results"][0]["samples"].erase("epoch_seconds");
  CHECK_FALSE(document_faults(sealed(document)).empty());
  document = reference();
  document["results"][2]["samples"]["epoch_seconds"] = {1.0};
  CHECK_FALSE(document_faults(sealed(document)).empty());
}

TEST_CASE("published figures that do not match the cases are refused") {
  Json document = reference();
  document["published"]["figures"].erase(0);
  CHECK(complaint(document) == "published.figures: expected 33 entries, one per case");
  document = reference();
  document["published"]["figures"][1] = {{"power_watts", "35"}};
  CHECK(complaint(document) == "published.figures[1].power_watts: expected a number");
}

}  // namespace gpubench::test::published_test
