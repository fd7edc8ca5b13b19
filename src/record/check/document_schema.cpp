// The schemas of whole documents: the objects follow from the field tables, how they lie in each other is
// said here.

#include "record/check/document_schema.h"

#include <fmt/format.h>

#include "gpubench/record/derived.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {
namespace {

constexpr const char* kFrame = R"({
  "$schema": "http://json-schema.org/draft-07/schema#",
  "$id": "",
  "title": "",
  "description": "",
  "type": "object",
  "additionalProperties": false,
  "required": ["schema_version", "content_sha256"],
  "properties": {
    "schema_version": { "description": "Grows when a reader of the former version would misread the file." },
    "content_sha256": {
      "description": "SHA-256 of the canonical text of the document without this key; results/README.md says how to compute it.",
      "type": "string",
      "pattern": "^[0-9a-f]{64}$"
    }
  }
})";

constexpr const char* kAbsenceRule =
    " Every value is in its base unit. A value that is null has its reason in the `absent` of its object; a "
    "value that is present has none.";

// What follows from the status of a case.
constexpr const char* kCaseRules = R"([
  {
    "if": { "properties": { "status": { "const": "skipped" } } },
    "then": { "properties": { "skip_rule": { "type": "string" }, "epoch_seconds": { "maxItems": 0 } } },
    "else": { "properties": { "skip_rule": { "type": "null" }, "skip_trigger": { "type": "null" } } }
  },
  {
    "if": { "properties": { "status": { "const": "ok" } } },
    "then": {
      "properties": {
        "status_message": { "type": "null" },
        "epoch_seconds": { "minItems": 1 },
        "first_epoch_seconds": { "type": "number" },
        "median_epoch_seconds": { "type": "number" },
        "train_samples": { "minimum": 1 },
        "steps_per_epoch": { "minimum": 1 },
        "last_batch": { "minimum": 1 }
      }
    },
    "else": { "properties": { "status_message": { "type": "string" } } }
  }
])";

constexpr const char* kPublishedCaseRules = R"([
  {
    "if": { "properties": { "status": { "const": "ok" } } },
    "then": {
      "required": ["epoch_seconds"],
      "properties": { "status_message": { "type": "null" }, "epoch_seconds": { "minItems": 1 } }
    },
    "else": {
      "not": { "required": ["epoch_seconds"] },
      "properties": { "status_message": { "type": "string" } }
    }
  }
])";

constexpr const char* kRowRules = R"([
  {
    "if": { "properties": { "status": { "const": "ok" } } },
    "then": { "properties": { "status_message": { "type": "null" }, "call_seconds": { "minItems": 1 } } },
    "else": {
      "properties": {
        "status_message": { "type": "string" },
        "call_seconds": { "maxItems": 0 },
        "slow": { "const": false }
      }
    }
  }
])";

constexpr const char* kPublishedRowRules = R"([
  {
    "if": { "required": ["call_seconds"] },
    "then": {
      "properties": { "status": { "const": "ok" }, "call_seconds": { "minItems": 1 } },
      "not": { "required": ["status_message"] }
    },
    "else": { "required": ["status_message"] }
  }
])";

constexpr const char* kPublishedFigures = R"({
  "description": "Further figures of each case, in the order of `cases`. One that is not stated is left out.",
  "type": "array",
  "items": {
    "type": "object",
    "additionalProperties": false,
    "properties": {
      "memory_bytes": { "type": "number", "minimum": 0 },
      "memory_below_bytes": { "description": "Only this bound is stated, and no figure.", "type": "number", "minimum": 0 },
      "temperature_celsius": { "type": "number" },
      "power_watts": { "type": "number", "minimum": 0 }
    }
  }
})";

Json reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

Json list_of(const std::string& definition, const std::string& description) {
  return {{"description", description}, {"type", "array"}, {"items", reference(definition)}};
}

/// A member of the object beside its fields.
void add_member(Json& object, const std::string& key, Json schema) {
  object["properties"][key] = std::move(schema);
  object["required"].push_back(key);
}

void add_rules(Json& object, const char* rules) {
  for (const Json& rule : Json::parse(rules)) object["allOf"].push_back(rule);
}

/// A case or row as a publication tells it: what it tells, and nothing derived. The rest is as in `measured`.
template <class Record>
Json published_schema(const FieldTable<Record>& fields, const std::string& measured,
                      const std::string& description) {
  const std::string path = "#/definitions/" + measured;
  Json schema{{"description", description},
              {"type", "object"},
              {"additionalProperties", false},
              {"required", Json::array()},
              {"properties", {{"absent", {{"$ref", path + "/properties/absent"}}}}},
              {"allOf", Json::array({reference(measured + "_reasons")})}};
  for (const Field<Record>& field : fields) {
    if (!field.set) continue;
    if (field.presence == Presence::kAlways) schema["required"].push_back(field.key);
    schema["properties"][field.key] = {{"$ref", path + "/properties/" + field.key}};
  }
  return schema;
}

/// Moves the rules of `object` to a definition of their own, which publications share.
Json shared_rules(Json& object, const std::string& name) {
  Json rules{{"allOf", std::move(object["allOf"])}};
  object["allOf"] = Json::array({reference(name)});
  return rules;
}

Json case_schema() {
  Json schema = object_schema(facts_of(case_fields()),
                              "One model trained on one dataset and device with one batch size.");
  add_member(schema, "energy", list_of("energy", "Every source of power that was read."));
  return schema;
}

Json warning_schema() {
  return object_schema(facts_of(warning_fields()), "What may have disturbed a measurement.");
}

Json published_case_schema() {
  Json schema = published_schema(
      case_fields(), "case",
      "A case as a publication states it. There is no key for what it does not tell, and no derived figure.");
  schema["properties"]["energy"] = {{"$ref", "#/definitions/case/properties/energy"}};
  add_rules(schema, kPublishedCaseRules);
  return schema;
}

Json publication_schema() {
  return object_schema(
      facts_of(published_fields()),
      "There in a file whose figures were taken from a publication: no gpubench measured them.");
}

Json tool_schema() {
  Json schema =
      object_schema(facts_of(tool_fields()), "Which gpubench wrote the file, and how it was called.");
  add_member(schema, "name", {{"const", "gpubench"}});
  return schema;
}

Json environment_schema() {
  Json schema =
      object_schema(facts_of(environment_fields()), "The machine, the libraries and the data of the run.");
  add_member(schema, "devices", list_of("device", "Devices that cases ran on."));
  add_member(schema, "datasets", list_of("dataset", "Datasets that cases used."));
  return schema;
}

Json dataset_schema() {
  Json schema = object_schema(facts_of(dataset_fields()), "Data that cases used.");
  add_member(schema, "files", list_of("data_file", "As they were read."));
  return schema;
}

Json run_definitions() {
  Json published = publication_schema();
  add_member(published, "figures", Json::parse(kPublishedFigures));
  Json measured = case_schema();
  Json reasons = shared_rules(measured, "case_reasons");
  add_rules(measured, kCaseRules);
  return {
      {"tool", tool_schema()},
      {"plan", object_schema(facts_of(plan_fields()), "How the cases were chosen and ordered.")},
      {"environment", environment_schema()},
      {"device", object_schema(facts_of(device_fields()), "A device, and its roof.")},
      {"dataset", dataset_schema()},
      {"data_file", object_schema(facts_of(data_file_fields()), "A file of a dataset.")},
      {"case", std::move(measured)},
      {"case_reasons", std::move(reasons)},
      {"phase", object_schema(facts_of(phase_fields()), "A stretch of a case, on the clock of its process.")},
      {"warning", warning_schema()},
      {"energy",
       object_schema(facts_of(energy_fields()),
                     "One source of power over a case. Lists by epoch have the warm-up too, and null "
                     "where nothing was read.")},
      {"repeat",
       object_schema(facts_of(repeat_fields()),
                     "The repetitions of one case that ended well, each run in a process of its own.")},
      {"published", std::move(published)},
      {"published_case", published_case_schema()},
  };
}

Json frame(const std::string& kind, std::int64_t version, const std::string& title,
           const std::string& description) {
  Json schema = Json::parse(kFrame);
  schema["$id"] = fmt::format("urn:gpubench:schema:{}:{}", kind, version);
  schema["title"] = fmt::format("gpubench {}, version {}", title, version);
  schema["description"] = description + kAbsenceRule;
  schema["properties"]["schema_version"]["const"] = version;
  return schema;
}

/// The list at `rows` is of `row` where the document was measured, and has no `measured` part where it was
/// published.
void add_rows(Json& schema, const std::string& rows, const std::string& row, const std::string& description,
              const std::vector<std::string>& measured, const std::vector<std::string>& optional) {
  const auto items = [&](const std::string& definition) {
    return Json{{rows, {{"items", reference(definition)}}}};
  };
  Json published = items("published_" + row);
  for (const auto& parts : {measured, optional}) {
    for (const std::string& part : parts) published[part] = false;
  }
  schema["if"] = {{"required", {"published"}}};
  schema["then"] = {{"properties", published}};
  schema["else"] = {{"required", measured}, {"properties", items(row)}};
  add_member(schema, rows, {{"description", description}, {"type", "array"}});
}

Json run_schema() {
  Json schema = frame("run", RunRecord::kSchemaVersion, "result file", "What one run of gpubench measured.");
  Json& properties = schema["properties"];
  for (const std::string part : {"tool", "plan", "environment", "published"})
    properties[part] = reference(part);
  properties["repeats"] =
      list_of("repeat",
              "One entry for each case of which more than one repetition ended well, derived "
              "from `cases`; empty where there is none.");
  add_rows(schema, "cases", "case",
           "One entry for each model, device, batch size and repetition of the run, in the order they ran, "
           "whatever happened to it.",
           {"tool", "environment"}, {"plan", "repeats"});
  schema["definitions"] = run_definitions();
  return schema;
}

Json ops_schema() {
  Json schema = frame("ops", OpsRecord::kSchemaVersion, "table of operations",
                      "What `gpubench ops` measured, or what a publication states of operations.");
  Json& properties = schema["properties"];
  for (const std::string part : {"tool", "environment"}) {
    properties[part] = {
        {"$ref", fmt::format("urn:gpubench:schema:run:{}#/definitions/{}", RunRecord::kSchemaVersion, part)}};
  }
  for (const std::string part : {"settings", "published"}) properties[part] = reference(part);
  add_rows(
      schema, "operations", "row",
      "A row for each operation, size, type, direction, state of the caches and device, in the order they "
      "were measured, whatever happened to it.",
      {"tool", "settings", "environment"}, {});
  Json row = object_schema(facts_of(op_fields()), "One operation at one size.");
  Json reasons = shared_rules(row, "row_reasons");
  add_rules(row, kRowRules);
  Json published = published_schema(
      op_fields(), "row",
      "A row as a publication states it. There is no key for what it does not tell, and no derived figure.");
  add_rules(published, kPublishedRowRules);
  schema["definitions"] = {
      {"settings", object_schema(facts_of(ops_settings_fields()), "What was asked for.")},
      {"published", publication_schema()},
      {"warning", warning_schema()},
      {"row", std::move(row)},
      {"row_reasons", std::move(reasons)},
      {"published_row", std::move(published)}};
  return schema;
}

}  // namespace

std::map<std::string, Json> written_schemas() {
  return {{fmt::format("run:{}", RunRecord::kSchemaVersion), run_schema()},
          {fmt::format("ops:{}", OpsRecord::kSchemaVersion), ops_schema()}};
}

}  // namespace gpubench
