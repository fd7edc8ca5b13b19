#include "record/document/record_json.h"

#include <cmath>
#include <limits>

#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "support/catch.h"
#include "support/sample_energy.h"
#include "support/sample_runs.h"

namespace gpubench::test::record_json_test {
namespace {

const std::vector<RunRecord>& sample_runs() {
  static const std::vector<RunRecord> runs = {empty_run(), mixed_run(), eventful_run(), reticent_run(),
                                              hostile_run()};
  return runs;
}

/// Returns the error of reading `document`; empty if it is valid.
std::string complaint(const Json& document) {
  try {
    run_from_json(document);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    return error.what();
  }
  return {};
}

Json mixed_document() { return run_to_json(mixed_run()); }

}  // namespace

TEST_CASE("a run survives writing and reading, including invalid UTF-8") {
  for (const RunRecord& run : sample_runs()) {
    const std::string text = json_text(run_to_json(run));
    CHECK(json_text(run_to_json(run_from_json(Json::parse(text)))) == text);
  }
}

TEST_CASE("a figure that is not finite is read as NaN") {
  CaseRecord record = diverged_case();
  record.learning_rate = std::numeric_limits<double>::infinity();
  record.epoch_seconds[2] = std::numeric_limits<double>::quiet_NaN();
  record.energy = two_sources();
  record.energy[0].watts[1] = std::numeric_limits<double>::quiet_NaN();
  const CaseRecord after = raw_json(record).get<CaseRecord>();
  CHECK(std::isnan(after.learning_rate));
  CHECK(std::isnan(after.epoch_seconds[2]));
  CHECK(after.epoch_seconds[3] == 0.48);
  CHECK(std::isnan(after.energy.at(0).watts.at(1)));
  CHECK(after.energy[0].watts[2] == 100);
  CHECK(std::isnan(after.training[0].second[4]));
  REQUIRE(after.test.value().size() == 2);
  CHECK(std::isnan(after.test.value()[0].second));
  CHECK(after.test.value()[1].second == 0.1);
}

TEST_CASE("null is read with the reason of its key, else of its group") {
  const Json object{
      {"facts",
       {{"setup_seconds", nullptr},
        {"peak_host_bytes", nullptr},
        {"peak_device_bytes", nullptr},
        {"test", nullptr}}},
      {"missing", {{"setup_seconds", "no clock"}, {"memory", "no process"}, {"peak_host_bytes", "lost"}}}};
  const CaseRecord after = object.get<CaseRecord>();
  CHECK(after.setup.reason() == "no clock");
  CHECK(after.peak_host.reason() == "lost");
  CHECK(after.peak_device.reason() == "no process");
  CHECK(after.test.reason() == "no reason is given");
  CHECK(Json{{"facts", {{"setup_seconds", nullptr}}}, {"missing", "yes"}}.get<CaseRecord>().setup.reason() ==
        "no reason is given");
}

TEST_CASE("a common reason of a group is written once, other reasons per key") {
  CaseRecord record = finished_case();
  record.peak_host = record.peak_device = record.peak_reserved = record.device_in_use = missing("no driver");
  CHECK(raw_json(record)["missing"]["memory"] == "no driver");
  CHECK_FALSE(raw_json(record)["missing"].contains("peak_host_bytes"));
  record.peak_host = missing("no process");
  CHECK_FALSE(raw_json(record)["missing"].contains("memory"));
  CHECK(raw_json(record)["missing"]["peak_host_bytes"] == "no process");
  CHECK(raw_json(record)["missing"]["peak_device_bytes"] == "no driver");
  record.peak_host = Bytes{1};
  record.peak_device = missing("no driver");
  CHECK_FALSE(raw_json(record)["missing"].contains("memory"));
  CHECK_FALSE(raw_json(record)["missing"].contains("peak_host_bytes"));
}

TEST_CASE("a common reason of all results is written once, in the document") {
  RunRecord run = empty_run();
  run.cases = {finished_case(), finished_case()};
  for (CaseRecord& record : run.cases) record.setup = missing("no clock");
  run.cases[1].initial_loss = missing("lost");
  const Json document = run_to_json(run);
  CHECK(document["missing"]["setup_seconds"] == "no clock");
  CHECK_FALSE(document["results"][0].value("missing", Json::object()).contains("setup_seconds"));
  CHECK(document["results"][1]["missing"]["initial_loss"] == "lost");
  const RunRecord again = run_from_json(document);
  CHECK(again.cases[0].setup.reason() == "no clock");
  CHECK(again.cases[1].setup.reason() == "no clock");
}

TEST_CASE("derived figures are recomputed, not read") {
  Json document = mixed_document();
  document["results"][0]["figures"]["median_epoch_seconds"] = "a lie";
  CHECK(run_to_json(run_from_json(document)) == mixed_document());
}

TEST_CASE("a missing key gives the default") {
  const CaseRecord bare = Json::object().get<CaseRecord>();
  CHECK(bare.protocol == "epoch");
  CHECK(bare.repeat == 1);
  CHECK(bare.status == RowStatus::kError);
  CHECK(bare.initial_loss.reason() == "not measured");
  CHECK(run_from_json({{"schema_version", 1}, {"results", Json::array()}}).cases.empty());
}

TEST_CASE("an invalid value is refused with its place") {
  struct Wrong {
    std::string place;
    Json value;
    std::string words;
  };
  const std::uint64_t beyond = std::numeric_limits<std::uint64_t>::max();
  const std::vector<Wrong> all = {
      {"/results/0/asked/batch_size", "128", "results[0].asked.batch_size: expected a number"},
      {"/results/0/asked/batch_size", beyond, "results[0].asked.batch_size: expected a whole number"},
      {"/results/0/samples/epoch_seconds/1", "long",
       "results[0].samples.epoch_seconds: expected a list of numbers"},
      {"/results/0/status", "fine", "results[0].status: unknown status 'fine'; known: ok, incorrect"},
      {"/results/0/asked/protocol", "fitt", "results[0].asked.protocol: unknown protocol 'fitt'"},
      {"/results/0/facts/test/loss", "low", "results[0].facts.test.loss: expected a number"},
      {"/results/0/samples/training/loss", 0.5,
       "results[0].samples.training.loss: expected a list of numbers"},
      {"/results/3/samples/timeline/2/duration_seconds", true,
       "results[3].samples.timeline[2].duration_seconds: expected a number"},
      {"/results/3/energy/1/scope", "guess", "results[3].energy[1].scope: unknown scope 'guess'"},
      {"/results/3/energy", "none", "results[3].energy: expected a list of objects"},
      {"/environment/datasets/0/files/0/size_bytes", 1.5,
       "environment.datasets[0].files[0].size_bytes: expected a whole number"},
      {"/tool/arguments", "--model mlp", "tool.arguments: expected a list of texts"},
      {"/plan/budget_seconds", "20m", "plan.budget_seconds: expected a number"},
      {"/plan", Json::array(), "plan: expected an object"},
      {"/results", Json::object(), "results: expected a list of objects"},
      {"/results/0", 7, "results[0]: expected an object"},
      {"", Json::array(), "document: expected an object"}};
  for (const Wrong& wrong : all) {
    Json document = run_to_json(eventful_run());
    document[Json::json_pointer(wrong.place)] = wrong.value;
    CHECK_THAT(complaint(document), contains_text(wrong.words));
  }
}

}  // namespace gpubench::test::record_json_test
