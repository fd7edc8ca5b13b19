// Records to JSON. Layout is not its business; see json.cpp.

#include "record/document/record_json.h"

#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "record/document/content_hash.h"
#include "record/document/json_object.h"

namespace gpubench {
namespace {

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

}  // namespace

Json to_json(const CaseRecord& record) {
  Json object = object_of(case_fields(), record);
  object["energy"] = list_of(energy_fields(), record.energy);
  return object;
}

Json to_json(const DeviceRecord& device) { return object_of(device_fields(), device); }
Json to_json(const PlanRecord& plan) { return object_of(plan_fields(), plan); }

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

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string run_document(const RunRecord& run) { return document_text(sealed(run_to_json(run))); }

}  // namespace gpubench
