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

/// The message that reading `document` ends with; empty where it is read.
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

TEST_CASE("a run that is read back is written as it was") {
  for (const RunRecord& run : sample_runs()) {
    const Json document = run_to_json(run);
    CHECK(run_to_json(run_from_json(document)) == document);
  }
}

TEST_CASE("a run survives the way through text, bytes that are not UTF-8 included") {
  for (const RunRecord& run : sample_runs()) {
    const std::string text = json_text(run_to_json(run));
    CHECK(json_text(run_to_json(run_from_json(Json::parse(text)))) == text);
  }
}

TEST_CASE("the parts of a run are read back apart, as a journal keeps them") {
  const RunRecord run = eventful_run();
  for (const CaseRecord& record : run.cases) {
    CHECK(to_json(to_json(record).get<CaseRecord>()) == to_json(record));
  }
  CHECK(to_json(to_json(run.tool).get<ToolRecord>()) == to_json(run.tool));
  CHECK(to_json(to_json(run.plan).get<PlanRecord>()) == to_json(run.plan));
  CHECK(to_json(to_json(run.environment).get<Environment>()) == to_json(run.environment));
}

TEST_CASE("the alternation that a run is a side of is read back, and a file without the key has none") {
  PlanRecord plan;
  plan.alternation = std::string("2026-01-01T00-00-00Z-1");
  plan.side = std::string("B");
  const Json written = to_json(plan);
  CHECK(written["alternation"] == "2026-01-01T00-00-00Z-1");
  CHECK(written.get<PlanRecord>().alternation == plan.alternation);
  CHECK(written.get<PlanRecord>().side == plan.side);

  Json without = written;
  without.erase("alternation");
  CHECK(without.get<PlanRecord>().alternation.reason() == "the run was not measured in alternation");
}

TEST_CASE("every raw field of a case is read back") {
  const CaseRecord before = fit_case();
  const CaseRecord after = to_json(before).get<CaseRecord>();
  CHECK(after.model == before.model);
  CHECK(after.protocol == before.protocol);
  CHECK(after.repeat == before.repeat);
  CHECK(after.min_epochs == before.min_epochs);
  CHECK(after.target_rel_ci95 == before.target_rel_ci95);
  CHECK(after.learning_rate == before.learning_rate);
  CHECK(after.parameters == before.parameters);
  CHECK(after.status == before.status);
  CHECK(after.skip_rule == before.skip_rule);
  CHECK(after.warnings == before.warnings);
  CHECK(after.started_at == before.started_at);
  CHECK(after.timeline == before.timeline);
  CHECK(after.epoch_seconds == before.epoch_seconds);
  CHECK(after.clock_start == before.clock_start);
  CHECK(after.min_timed == before.min_timed);
  CHECK(after.energy == before.energy);
  CHECK(after.stopped_by == before.stopped_by);
  CHECK(after.setup == before.setup);
  CHECK(after.validation_seconds == before.validation_seconds);
  CHECK(after.training == before.training);
  CHECK(after.validation_history == before.validation_history);
  CHECK(after.validation == before.validation);
  CHECK(after.test == before.test);
  CHECK(after.process == before.process);
  CHECK(after.process_start == before.process_start);
  CHECK(after.peak_host == before.peak_host);
  CHECK(after.peak_device == before.peak_device);
  CHECK(after.trained_steps == before.trained_steps);
  CHECK(after.trained_samples == before.trained_samples);
  CHECK(after.initial_loss == before.initial_loss);
  CHECK(after.parameter_checksum == before.parameter_checksum);
}

TEST_CASE("the machine and the data are read back") {
  const Environment before = mixed_run().environment;
  const Environment after = to_json(before).get<Environment>();
  CHECK(after.host == before.host);
  CHECK(after.available_cores == before.available_cores);
  REQUIRE(after.devices.size() == 1);
  CHECK(after.devices[0].memory == before.devices[0].memory);
  CHECK(after.devices[0].peak_flops_per_second == before.devices[0].peak_flops_per_second);
  CHECK(after.devices[0].triad_bytes_per_second == before.devices[0].triad_bytes_per_second);
  CHECK(after.devices[0].launch_latency == before.devices[0].launch_latency);
  CHECK(after.devices[0].host_to_device_bytes_per_second.reason() == "not measured");
  REQUIRE(after.datasets.size() == 2);
  CHECK(after.datasets[1].is_synthetic);
  REQUIRE(after.datasets[0].files.size() == 1);
  CHECK(after.datasets[0].files[0].size == before.datasets[0].files[0].size);
}

TEST_CASE("a figure that is not finite is read as not a number") {
  CaseRecord record = diverged_case();
  record.learning_rate = std::numeric_limits<double>::infinity();
  record.epoch_seconds[2] = std::numeric_limits<double>::quiet_NaN();
  record.energy = two_sources();
  record.energy[0].watts[1] = std::numeric_limits<double>::quiet_NaN();
  const CaseRecord after = to_json(record).get<CaseRecord>();
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

TEST_CASE("null reads as absent with the reason of its key, else of its group") {
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

TEST_CASE("the reason of a whole group is said once, and else that of each key") {
  CaseRecord record = finished_case();
  record.peak_host = record.peak_device = record.peak_reserved = record.device_in_use = missing("no driver");
  CHECK(to_json(record)["missing"]["memory"] == "no driver");
  CHECK_FALSE(to_json(record)["missing"].contains("peak_host_bytes"));
  record.peak_host = missing("no process");
  CHECK_FALSE(to_json(record)["missing"].contains("memory"));
  CHECK(to_json(record)["missing"]["peak_host_bytes"] == "no process");
  CHECK(to_json(record)["missing"]["peak_device_bytes"] == "no driver");
  record.peak_host = Bytes{1};
  record.peak_device = missing("no driver");
  CHECK_FALSE(to_json(record)["missing"].contains("memory"));
  CHECK_FALSE(to_json(record)["missing"].contains("peak_host_bytes"));
}

TEST_CASE("a reason that all results have stands once, in the document") {
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

TEST_CASE("every status is read back") {
  for (const RowStatus status :
       {RowStatus::kOk, RowStatus::kOutOfMemory, RowStatus::kUnsupported, RowStatus::kError,
        RowStatus::kDiverged, RowStatus::kTimeout, RowStatus::kCrashed, RowStatus::kSkipped,
        RowStatus::kInterrupted, RowStatus::kInvalid}) {
    CaseRecord record = unfinished_case(status, status == RowStatus::kOk ? "" : "it happened");
    const CaseRecord after = to_json(record).get<CaseRecord>();
    CHECK(after.status == status);
    CHECK(after.status_reason == record.status_reason);
  }
}

TEST_CASE("keys that are not known are passed over, whatever they hold") {
  Json document = mixed_document();
  const Json before = document;
  document["future"] = {{"a", Json::array({1, "two", nullptr})}};
  document["results"][0]["watts"] = Json::array({1, "two"});
  document["environment"]["devices"][0]["fan"] = {{"speed", {{"now", true}}}};
  CHECK(run_to_json(run_from_json(document)) == before);
}

TEST_CASE("derived figures are computed again and never taken from the file") {
  Json document = mixed_document();
  document["results"][0]["figures"]["median_epoch_seconds"] = "a lie";
  CHECK(run_to_json(run_from_json(document)) == mixed_document());
}

TEST_CASE("a missing key leaves the default") {
  const CaseRecord bare = Json::object().get<CaseRecord>();
  CHECK(bare.protocol == Protocol::kEpoch);
  CHECK(bare.repeat == 1);
  CHECK(bare.status == RowStatus::kError);
  CHECK(bare.initial_loss.reason() == "not measured");
  CHECK(run_from_json({{"schema_version", 1}, {"results", Json::array()}}).cases.empty());
}

TEST_CASE("a value of the wrong type is refused with the place where it stands") {
  Json document = mixed_document();
  document["results"][3]["asked"]["batch_size"] = "128";
  CHECK(complaint(document) == "results[3].asked.batch_size: a number is expected");

  document = mixed_document();
  document["results"][0]["samples"]["epoch_seconds"][1] = "long";
  CHECK(complaint(document) == "results[0].samples.epoch_seconds: a list of numbers is expected");

  document = mixed_document();
  document["environment"]["datasets"][0]["files"][0]["size_bytes"] = 1.5;
  CHECK(complaint(document) == "environment.datasets[0].files[0].size_bytes: a whole number is expected");

  document = mixed_document();
  document["tool"]["arguments"] = "--model mlp";
  CHECK(complaint(document) == "tool.arguments: a list of texts is expected");

  document = mixed_document();
  document["plan"]["budget_seconds"] = "20m";
  CHECK(complaint(document) == "plan.budget_seconds: a number is expected");
}

TEST_CASE("what is wrong inside a list of phases or a group of figures is refused with its place") {
  Json document = run_to_json(eventful_run());
  document["results"][3]["samples"]["timeline"][2]["duration_seconds"] = true;
  CHECK(complaint(document) == "results[3].samples.timeline[2].duration_seconds: a number is expected");

  document = mixed_document();
  document["results"][0]["facts"]["test"]["loss"] = "low";
  CHECK(complaint(document) == "results[0].facts.test.loss: a number is expected");

  document = mixed_document();
  document["results"][0]["samples"]["training"] = {{"loss", 0.5}};
  CHECK(complaint(document) == "results[0].samples.training.loss: a list of numbers is expected");
}

TEST_CASE("what is wrong in a source of power is refused with its place") {
  Json document = run_to_json(eventful_run());
  document["results"][3]["energy"][1]["scope"] = "guess";
  CHECK_THAT(complaint(document), contains_text("results[3].energy[1].scope: unknown scope 'guess'"));

  document = run_to_json(eventful_run());
  document["results"][3]["energy"] = "none";
  CHECK(complaint(document) == "results[3].energy: a list of objects is expected");
}

TEST_CASE("a number that no count can hold is refused and not turned into another") {
  Json document = mixed_document();
  document["results"][0]["asked"]["batch_size"] = std::numeric_limits<std::uint64_t>::max();
  CHECK(complaint(document) == "results[0].asked.batch_size: a whole number is expected");
}

TEST_CASE("an unknown status or protocol is refused with those that are known") {
  Json document = mixed_document();
  document["results"][0]["status"] = "fine";
  CHECK_THAT(complaint(document), contains_text("results[0].status: unknown status 'fine'; known: ok, oom"));

  document = mixed_document();
  document["results"][0]["asked"]["protocol"] = "fitt";
  CHECK_THAT(complaint(document), contains_text("results[0].asked.protocol: unknown protocol 'fitt'"));
}

TEST_CASE("results of an unknown workload, and of several kinds, are refused") {
  Json document = mixed_document();
  document["results"][1]["workload"] = "op";
  CHECK(complaint(document) == "results[1].workload: is not that of the results before");
  document["results"][0]["workload"] = "inference";
  CHECK(complaint(document) == "results[0].workload: is none that this gpubench knows");
}

TEST_CASE("lists and objects in each other's place are refused") {
  for (const std::string key : {"tool", "plan", "environment"}) {
    Json document = mixed_document();
    document[key] = Json::array();
    CHECK(complaint(document) == key + ": an object is expected");
  }
  Json document = mixed_document();
  document["results"] = Json::object();
  CHECK(complaint(document) == "results: a list of objects is expected");
  document["results"] = Json::array({7});
  CHECK(complaint(document) == "results[0]: an object is expected");
  CHECK(complaint(Json::array()) == "document: an object is expected");
}

TEST_CASE("another schema version is refused with what to do") {
  Json document = mixed_document();
  for (const Json& version : {Json(0), Json(3), Json("1"), Json(1.5)}) {
    document["schema_version"] = version;
    CHECK(complaint(document) ==
          "schema_version: found " + version.dump() +
              ", but this gpubench reads 1 only; use the gpubench that wrote the file, "
              "or measure again");
  }
  document.erase("schema_version");
  CHECK_THAT(complaint(document), contains_text("is missing"));
}

}  // namespace gpubench::test::record_json_test
