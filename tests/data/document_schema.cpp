// The schema in results/schema: objects from the field tables, and their nesting.

#include "data/document_schema.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"
#include "record/document/record_json.h"

namespace gpubench::test {
namespace {

constexpr const char* kPublishedFigures = R"({
  "description": "Other figures of each result, in the order of `results`. Unstated figures are omitted.",
  "type": "array",
  "items": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "memory_bytes": { "type": "number", "minimum": 0 },
      "memory_below_bytes": { "description": "Upper bound, if only a bound is stated.", "type": "number", "minimum": 0 },
      "temperature_celsius": { "type": "number" },
      "power_watts": { "type": "number", "minimum": 0 }
    }
  }
})";

using Fields = std::vector<FieldFacts>;

Json nullable(const char* type, bool may_be_null) {
  return may_be_null ? Json::array({type, "null"}) : Json(type);
}

/// Returns 1 rather than 1.0.
Json limit_json(double limit) {
  const auto whole = static_cast<std::int64_t>(limit);
  return static_cast<double>(whole) == limit ? Json(whole) : Json(limit);
}

Json number_schema(const char* type, const Values& values, bool may_be_null) {
  Json schema{{"type", nullable(type, may_be_null)}};
  if (values.least) schema["minimum"] = limit_json(*values.least);
  if (values.most) schema["maximum"] = limit_json(*values.most);
  return schema;
}

Json text_schema(const Values& values) {
  if (!values.names.empty()) {
    Json names = values.names;
    if (values.may_be_absent) names.push_back(nullptr);
    return {{"enum", names}};
  }
  Json schema{{"type", nullable("string", values.may_be_absent)}};
  if (values.least) schema["minLength"] = limit_json(*values.least);
  if (!values.pattern.empty()) schema["pattern"] = values.pattern;
  return schema;
}

Json list_schema(Json items, bool may_be_null) {
  return {{"type", nullable("array", may_be_null)}, {"items", std::move(items)}};
}

Json named_schema(Json values, bool may_be_null) {
  return {{"type", nullable("object", may_be_null)}, {"additionalProperties", std::move(values)}};
}

Json value_schema(const Values& values) {
  const bool may_be_null = values.may_be_absent;
  // In lists and named values a number that is not finite is null.
  const Json number = number_schema("number", values, true);
  switch (values.kind) {
    case Kind::kBoolean:
      return {{"type", nullable("boolean", may_be_null)}};
    case Kind::kWholeNumber:
      return number_schema("integer", values, may_be_null);
    case Kind::kNumber:
      return number_schema("number", values, may_be_null);
    case Kind::kText:
      return text_schema(values);
    case Kind::kNumbers:
      return list_schema(number, may_be_null);
    case Kind::kWholeNumbers:
      return list_schema(number_schema("integer", values, false), may_be_null);
    case Kind::kTexts:
      return list_schema({{"type", "string"}}, may_be_null);
    case Kind::kPhases:
      return list_schema({{"$ref", "#/definitions/phase"}}, may_be_null);
    case Kind::kWarnings:
      return list_schema({{"$ref", "#/definitions/warning"}}, may_be_null);
    case Kind::kNamedValues:
      return named_schema(number, may_be_null);
    case Kind::kNamedSeries:
      return named_schema(list_schema(number, false), may_be_null);
  }
  return {};
}

Json make_property(const FieldFacts& field) {
  Json property = Json::object();
  std::string description = field.help;
  if (!field.unit.empty()) description += (description.empty() ? "In " : " In ") + field.unit + ".";
  if (!description.empty()) property["description"] = description;
  property.update(value_schema(field.values));
  return property;
}

Json reasons_schema() {
  return {
      {"description", "Reasons for null values, by key, or by group if all values of the group are null."},
      {"type", "object"},
      {"minProperties", 1},
      {"additionalProperties", {{"type", "string"}, {"minLength", 1}}}};
}

Json reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

Json make_list(const std::string& definition, const std::string& description) {
  return {{"description", description}, {"type", "array"}, {"items", reference(definition)}};
}

Json make_schema(const std::string& description) {
  return {{"description", description},
          {"type", "object"},
          {"additionalProperties", false},
          {"required", Json::array()},
          {"properties", Json::object()}};
}

template <class Record>
Json object_schema(const FieldTable<Record>& fields, const std::string& description) {
  return test::object_schema(make_facts(fields), description);
}

/// Returns `object` with another required member.
Json with_member(Json object, const std::string& key, Json schema) {
  object["properties"][key] = std::move(schema);
  object["required"].push_back(key);
  return object;
}

Json dataset_schema() {
  return with_member(object_schema(dataset_fields(), "Dataset of the cases."), "files",
                     make_list("data_file", "Files of the dataset."));
}

Json environment_schema() {
  Json schema = object_schema(environment_fields(), "Machine, libraries and data.");
  schema = with_member(std::move(schema), "devices", make_list("device", "Devices used by the run."));
  schema = with_member(std::move(schema), "datasets", make_list("dataset", "Datasets used by the run."));
  schema["properties"]["ranks"] = make_list("rank", "Ranks in order; empty for a single process.");
  return schema;
}

struct Workload {
  std::string name;
  Fields fields;
  std::string description;
};

std::vector<Workload> all_workloads() {
  return {{"train", make_facts(case_fields()), "Training case."},
          {"op", make_facts(op_fields()), "Operation or collective at one size."},
          {"peak", make_facts(peak_point_fields()), "Rate or latency of a device at one size."},
          {"selftest", make_facts(check_fields()), "Row of a self-test."}};
}

/// Returns the schema of a result, measured or published.
Json make_result(const Workload& workload) {
  Json schema = make_schema(workload.description);
  for (const FieldFacts& field : workload.fields) {
    const std::string section = to_string(field.section);
    if (!section.empty() && !schema["properties"].contains(section))
      schema["properties"][section] = make_schema("See docs/files.md.");
    Json& part = section.empty() ? schema : schema["properties"][section];
    part["properties"][field.key] = make_property(field);
    if (field.presence == Presence::kAlways) part["required"].push_back(field.key);
  }
  schema["properties"][kMissingKey] = reasons_schema();
  return schema;
}

/// Returns the schema of the keys that only measured results require.
Json measured_schema(const Fields& fields) {
  Json schema{{"required", Json::array()}, {"properties", Json::object()}};
  for (const FieldFacts& field : fields) {
    if (field.presence != Presence::kMeasured) continue;
    const std::string section = to_string(field.section);
    (section.empty() ? schema : schema["properties"][section])["required"].push_back(field.key);
  }
  for (const auto& [section, part] : schema["properties"].items()) schema["required"].push_back(section);
  return schema;
}

Json make_definitions() {
  Json definitions{
      {"tool", with_member(object_schema(tool_fields(), "Version and command line of gpubench."), "name",
                           {{"const", "gpubench"}})},
      {"plan", object_schema(plan_fields(), "Selection and order of the rows.")},
      {"environment", environment_schema()},
      {"device", object_schema(device_fields(), "Device and its peak.")},
      {"dataset", dataset_schema()},
      {"rank", object_schema(rank_fields(), "Rank of a data-parallel case.")},
      {"data_file", object_schema(data_file_fields(), "File of a dataset.")},
      {"phase", object_schema(phase_fields(), "Phase of a case.")},
      {"warning", object_schema(warning_fields(), "Disturbance of a measurement.")},
      {"energy",
       object_schema(energy_fields(),
                     "Measurements of one power source. Lists by epoch include the warm-up and have "
                     "null for missing values.")}};
  for (const Workload& workload : all_workloads()) {
    definitions[workload.name] = make_result(workload);
    definitions["measured_" + workload.name] = measured_schema(workload.fields);
  }
  definitions["train"]["properties"]["energy"] = make_list("energy", "Measurements by power source.");
  definitions["published"] = object_schema(
      published_fields(), "Publication of the figures, in a file without measurements by gpubench.");
  definitions["published"]["properties"]["figures"] = Json::parse(kPublishedFigures);
  return definitions;
}

/// Returns the schema of a result: the definition `prefix` + workload.
Json result_schema(const std::string& prefix) {
  Json schema{{"required", {"workload"}}, {"allOf", Json::array()}};
  Json known = Json::array();
  for (const Workload& workload : all_workloads()) {
    const Json names = std::ranges::find(workload.fields, "workload", &FieldFacts::key)->values.names;
    known.insert(known.end(), names.begin(), names.end());
    schema["allOf"].push_back(Json{{"if", {{"properties", {{"workload", {{"enum", names}}}}}}},
                                   {"then", reference(prefix + workload.name)}});
  }
  schema["properties"] = {{"workload", {{"enum", known}}}};
  return schema;
}

}  // namespace

Json object_schema(const Fields& fields, const std::string& description) {
  Json schema = make_schema(description);
  bool has_reasons = false;
  for (const FieldFacts& field : fields) {
    schema["properties"][field.key] = make_property(field);
    if (field.presence != Presence::kOptional) schema["required"].push_back(field.key);
    has_reasons = has_reasons || field.values.may_be_absent;
  }
  if (has_reasons) schema["properties"][kMissingKey] = reasons_schema();
  return schema;
}

Json written_schema() {
  Json schema = make_schema(
      "Measurements by gpubench, or published figures. Values are in base units. The reason for a null value "
      "is in `missing` of its object or of the document.");
  schema.update({{"$schema", "http://json-schema.org/draft-07/schema#"},
                 {"$id", fmt::format("urn:gpubench:schema:{}", kSchemaVersion)},
                 {"title", fmt::format("gpubench result document, version {}", kSchemaVersion)},
                 {"required", {"schema_version", "results", "content_sha256"}},
                 {"if", {{"required", {"published"}}}},
                 {"then", {{"properties", {{"tool", false}, {"plan", false}, {"environment", false}}}}},
                 {"else",
                  {{"required", {"tool", "environment"}},
                   {"properties", {{"results", {{"items", result_schema("measured_")}}}}}}}});
  schema["properties"] = {
      {"schema_version", {{"description", "Readers refuse other versions."}, {"const", kSchemaVersion}}},
      {"tool", reference("tool")},
      {"plan", reference("plan")},
      {"environment", reference("environment")},
      {"published", reference("published")},
      {"results",
       {{"description", "In order of measurement."}, {"type", "array"}, {"items", result_schema("")}}},
      {kMissingKey, reasons_schema()},
      {kContentHashKey,
       {{"description", "SHA-256 of the canonical text of the document without this key; see docs/files.md."},
        {"type", "string"},
        {"pattern", "^[0-9a-f]{64}$"}}}};
  schema["definitions"] = make_definitions();
  return schema;
}

}  // namespace gpubench::test
