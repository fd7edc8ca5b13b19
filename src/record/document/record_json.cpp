#include "record/document/record_json.h"

#include <fmt/format.h>

#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "record/document/json_object.h"

namespace gpubench {
namespace {

constexpr const char* kRows = "operations";

Json dataset_json(const DatasetRecord& dataset) {
  Json object = object_of(dataset_fields(), dataset);
  object["files"] = list_of(data_file_fields(), dataset.files);
  return object;
}

Json told_json(const CaseRecord& record) {
  Json told = told_object(case_fields(), record);
  if (!record.energy.empty()) told["energy"] = list_of(energy_fields(), record.energy);
  return told;
}

Json published_json(const PublishedRecord& published) {
  Json object = object_of(published_fields(), published);
  object["figures"] = Json::array();
  for (const NamedValues& figures : published.figures) object["figures"].push_back(json_value(figures));
  return object;
}

/// A record that no gpubench measured: it has no tool, no plan, and no environment that was looked at.
Json published_document(const RunRecord& record) {
  Json document;
  document["schema_version"] = RunRecord::kSchemaVersion;
  document["published"] = published_json(*record.published);
  document["cases"] = Json::array();
  for (const CaseRecord& published : record.cases) document["cases"].push_back(told_json(published));
  return document;
}

DatasetRecord dataset_from_json(const Json& object, const std::string& where) {
  DatasetRecord dataset = record_of(object, dataset_fields(), where);
  read_list(dataset.files, object, "files", where, data_file_fields());
  return dataset;
}

NamedValues figures_of(const Json& object, const std::string& place) {
  require_object(object, place);
  const FieldValue value = object_value(object, place);
  if (const auto* figures = std::get_if<NamedValues>(&value)) return *figures;
  refuse(place, "an object of numbers is expected");
}

PublishedRecord published_from_json(const Json& object, std::size_t cases) {
  PublishedRecord published = record_of(object, published_fields(), "published");
  read_list(published.figures, object, "figures", "published", figures_of);
  if (published.figures.size() == cases) return published;
  refuse("published.figures", fmt::format("an entry for each of the {} cases is expected", cases));
}

void require_result(const Json& document) {
  if (document.contains("points")) {
    refuse("points", "make this a peak of the machine, not the result of a run; name a result file");
  }
  if (is_ops_document(document)) {
    refuse(kRows,
           "make this a table of operations, not the result of a run; name a result file, or look at this "
           "one with 'gpubench show', 'report' or 'compare'");
  }
  require_version(document, RunRecord::kSchemaVersion);
}

Json published_document(const OpsRecord& record) {
  Json document;
  document["schema_version"] = OpsRecord::kSchemaVersion;
  document["published"] = object_of(published_fields(), *record.published);
  document[kRows] = Json::array();
  for (const OpRecord& row : record.rows) document[kRows].push_back(told_object(op_fields(), row));
  return document;
}

void require_table(const Json& document) {
  if (!is_ops_document(document)) {
    refuse(kRows, "is missing, so this is no table of operations; name a file that 'gpubench ops' wrote");
  }
  require_version(document, OpsRecord::kSchemaVersion);
}

}  // namespace

Json to_json(const CaseRecord& record) {
  Json object = object_of(case_fields(), record);
  object["energy"] = list_of(energy_fields(), record.energy);
  return object;
}

Json to_json(const DeviceRecord& device) { return object_of(device_fields(), device); }
Json to_json(const PlanRecord& plan) { return object_of(plan_fields(), plan); }

Json to_json(const OpRecord& row) { return object_of(op_fields(), row); }
Json to_json(const OpsSettings& settings) { return object_of(ops_settings_fields(), settings); }

Json to_json(const ToolRecord& tool) {
  Json object{{"name", "gpubench"}};
  object.update(object_of(tool_fields(), tool));
  return object;
}

Json to_json(const Environment& environment) {
  Json object = object_of(environment_fields(), environment);
  object["devices"] = list_of(device_fields(), environment.devices);
  object["datasets"] = Json::array();
  for (const DatasetRecord& dataset : environment.datasets) {
    object["datasets"].push_back(dataset_json(dataset));
  }
  return object;
}

Json run_to_json(const RunRecord& record) {
  if (record.published) return published_document(record);
  Json document;
  document["schema_version"] = RunRecord::kSchemaVersion;
  document["tool"] = to_json(record.tool);
  document["plan"] = to_json(record.plan);
  document["environment"] = to_json(record.environment);
  document["cases"] = Json::array();
  for (const CaseRecord& measured : record.cases) document["cases"].push_back(to_json(measured));
  document["repeats"] = list_of(repeat_fields(), repeat_groups(record));
  return document;
}

std::string run_document(const RunRecord& run) { return document_text(sealed(run_to_json(run))); }

// What the values of a key must be is known to the setters of the field tables alone.
CaseRecord case_from_json(const Json& object, const std::string& where) {
  CaseRecord record = record_of(object, case_fields(), where);
  read_list(record.energy, object, "energy", where, energy_fields());
  return record;
}

ToolRecord tool_from_json(const Json& object, const std::string& where) {
  return record_of(object, tool_fields(), where);
}

Environment environment_from_json(const Json& object, const std::string& where) {
  Environment environment = record_of(object, environment_fields(), where);
  read_list(environment.devices, object, "devices", where, device_fields());
  read_list(environment.datasets, object, "datasets", where, dataset_from_json);
  return environment;
}

void from_json(const Json& json, CaseRecord& record) { record = case_from_json(json); }
void from_json(const Json& json, PlanRecord& plan) { plan = record_of(json, plan_fields(), "plan"); }
void from_json(const Json& json, DeviceRecord& device) {
  device = record_of(json, device_fields(), "device");
}
void from_json(const Json& json, Environment& environment) { environment = environment_from_json(json); }
void from_json(const Json& json, OpRecord& row) { row = record_of(json, op_fields(), "operation"); }
void from_json(const Json& json, OpsSettings& settings) {
  settings = record_of(json, ops_settings_fields(), "settings");
}

RunRecord run_from_json(const Json& document) {
  require_object(document, "result");
  require_result(document);
  RunRecord run;
  if (document.contains("tool")) run.tool = tool_from_json(document.at("tool"));
  if (document.contains("plan")) run.plan = document.at("plan").get<PlanRecord>();
  if (document.contains("environment")) run.environment = environment_from_json(document.at("environment"));
  read_list(run.cases, document, "cases", "", case_from_json);
  if (document.contains("published")) {
    run.published = published_from_json(document.at("published"), run.cases.size());
  }
  return run;
}

bool is_ops_document(const Json& document) { return document.is_object() && document.contains(kRows); }

Json ops_to_json(const OpsRecord& record) {
  if (record.published) return published_document(record);
  Json document;
  document["schema_version"] = OpsRecord::kSchemaVersion;
  document["tool"] = to_json(record.tool);
  document["settings"] = to_json(record.settings);
  document["environment"] = to_json(record.environment);
  document[kRows] = list_of(op_fields(), record.rows);
  return document;
}

OpsRecord ops_from_json(const Json& document) {
  require_object(document, "table of operations");
  require_table(document);
  OpsRecord record;
  if (document.contains("tool")) record.tool = tool_from_json(document.at("tool"));
  if (document.contains("settings")) record.settings = document.at("settings").get<OpsSettings>();
  if (document.contains("environment"))
    record.environment = environment_from_json(document.at("environment"));
  if (document.contains("published")) {
    record.published = record_of(document.at("published"), published_fields(), "published");
  }
  read_list(record.rows, document, kRows, "", op_fields());
  return record;
}

std::string ops_document(const OpsRecord& record) { return document_text(sealed(ops_to_json(record))); }

}  // namespace gpubench
