// The schemas in results/schema: the objects follow from the field tables; how they nest is stated here.

#include "data/document_schema.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/ops_record.h"
#include "gpubench/record/peak_record.h"
#include "gpubench/record/selftest_record.h"
#include "record/document/json_object.h"

namespace gpubench::test {
namespace {

constexpr const char* kAbsenceRule =
    " Every value is in its base unit. A value that is null has its reason in the `absent` of its object; a "
    "value that is present has none.";

// What follows from the status of a case.
constexpr const char* kCaseRules = R"([
  {
    "if": { "properties": { "status": { "const": "skipped" } } },
    "then": { "properties": { "skip_rule": { "type": "string" }, "epoch_seconds": { "maxItems": 0 } } },
    "else": { "properties": { "skip_rule": { "type": "null" } } }
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
        "steps_per_epoch": { "minimum": 1 }
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

constexpr const char* kPointRules = R"([
  {
    "if": { "properties": { "kind": { "enum": ["gemm", "convolution"] } } },
    "then": { "properties": { "precision": { "type": "string" }, "unit": { "const": "FLOP/s" } } },
    "else": { "properties": { "precision": { "type": "null" } } }
  },
  {
    "if": { "properties": { "kind": { "enum": ["copy", "triad", "host-to-device"] } } },
    "then": { "properties": { "unit": { "const": "B/s" } } }
  },
  {
    "if": { "properties": { "kind": { "enum": ["launch", "graph-node"] } } },
    "then": { "properties": { "unit": { "const": "s" } } }
  },
  {
    "if": { "properties": { "value": { "type": "number" } } },
    "then": { "properties": { "size": { "type": "integer" } } }
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

using Fields = std::vector<FieldFacts>;

Json nullable(const char* type, bool may_be_null) {
  return may_be_null ? Json::array({type, "null"}) : Json(type);
}

/// 1 rather than 1.0.
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
  // A number that is not finite is null in a list or under a name.
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

/// What holds of `absent` where it is there: { "properties": { "absent": ... } }.
Json of_absent(Json schema) { return {{"properties", {{kAbsentKey, std::move(schema)}}}}; }

/// Null has its reason under the key or the group, and what is not null has none.
Json reason_rule(const FieldFacts& field) {
  Json told{{"required", {field.key}}};
  if (!field.group.empty()) told = {{"anyOf", {told, {{"required", {field.group}}}}}};
  Json has_reason = of_absent(told);
  has_reason["required"] = {kAbsentKey};
  return {{"if", {{"required", {field.key}}, {"properties", {{field.key, {{"type", "null"}}}}}}},
          {"then", std::move(has_reason)},
          {"else", of_absent({{"not", told}})}};
}

Json reasons_schema(const Fields& fields) {
  std::vector<std::string> names;
  for (const FieldFacts& field : fields) {
    if (!field.values.may_be_absent) continue;
    for (const std::string& name : {field.group, field.key}) {
      if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
  }
  const std::string pattern = "^(" + join(names, "|") + ")$";
  return {{"description",
           "Why values are null, by their key; or once for a group of them, where none has a value."},
          {"type", "object"},
          {"minProperties", 1},
          {"additionalProperties", false},
          {"patternProperties", {{pattern, {{"type", "string"}, {"minLength", 1}}}}}};
}

Json reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }

Json make_list(const std::string& definition, const std::string& description) {
  return {{"description", description}, {"type", "array"}, {"items", reference(definition)}};
}

template <class Record>
Json object_schema(const FieldTable<Record>& fields, const std::string& description) {
  return test::object_schema(make_facts(fields), description);
}

/// The same with a member beside its fields.
Json with_member(Json object, const std::string& key, Json schema) {
  object["properties"][key] = std::move(schema);
  object["required"].push_back(key);
  return object;
}

void add_rules(Json& object, const char* rules) {
  for (const Json& rule : Json::parse(rules)) object["allOf"].push_back(rule);
}

/// A case or row as it was measured, and as a publication tells it.
struct RowSchemas {
  Json measured;
  Json reasons;  ///< The rules that both share.
  Json published;
};

/// `measured` is what a definition called `name` says. A publication has what it tells, and nothing derived.
template <class Record>
RowSchemas row_schemas(const FieldTable<Record>& fields, const std::string& name, Json measured) {
  const auto property = [&](const std::string& key) { return reference(name + "/properties/" + key); };
  const Json shared_rules = Json::array({reference(name + "_reasons")});
  Json published{{"description", fmt::format("A {} as a publication states it. There is no key for what it "
                                             "does not tell, and no derived figure.",
                                             name)},
                 {"type", "object"},
                 {"additionalProperties", false},
                 {"required", Json::array()},
                 {"properties", {{"absent", property("absent")}}},
                 {"allOf", shared_rules}};
  for (const auto& member : measured["properties"].items()) {
    const Field<Record>* field = fields.find(member.key());
    if (field != nullptr && !field->set) continue;
    published["properties"][member.key()] = property(member.key());
    if (field != nullptr && field->presence == Presence::kAlways) published["required"].push_back(field->key);
  }
  Json reasons{{"allOf", std::exchange(measured["allOf"], shared_rules)}};
  return {std::move(measured), std::move(reasons), std::move(published)};
}

Json warning_schema() { return object_schema(warning_fields(), "What may have disturbed a measurement."); }

Json publication_schema() {
  return object_schema(
      published_fields(),
      "There in a file whose figures were taken from a publication: no gpubench measured them.");
}

RowSchemas case_schemas() {
  RowSchemas schemas = row_schemas(
      case_fields(), "case",
      with_member(
          object_schema(case_fields(), "One model trained on one dataset and device with one batch size."),
          "energy", make_list("energy", "Every source of power that was read.")));
  add_rules(schemas.measured, kCaseRules);
  add_rules(schemas.published, kPublishedCaseRules);
  return schemas;
}

Json environment_schema() {
  const Json schema =
      with_member(object_schema(environment_fields(), "The machine, the libraries and the data of the run."),
                  "devices", make_list("device", "Devices that cases ran on."));
  Json whole = with_member(schema, "datasets", make_list("dataset", "Datasets that cases used."));
  whole["properties"]["ranks"] =
      make_list("rank", "Processes that trained cases together, in their order; empty of a single one.");
  return whole;
}

Json run_definitions() {
  RowSchemas cases = case_schemas();
  return {
      {"tool",
       with_member(object_schema(tool_fields(), "Which gpubench wrote the file, and how it was called."),
                   "name", {{"const", "gpubench"}})},
      {"plan", object_schema(plan_fields(), "How the cases were chosen and ordered.")},
      {"environment", environment_schema()},
      {"device", object_schema(device_fields(), "A device, and its peak.")},
      {"dataset", with_member(object_schema(dataset_fields(), "Data that cases used."), "files",
                              make_list("data_file", "As they were read."))},
      {"rank", object_schema(rank_fields(), "One of several processes that train together.")},
      {"data_file", object_schema(data_file_fields(), "A file of a dataset.")},
      {"case", std::move(cases.measured)},
      {"case_reasons", std::move(cases.reasons)},
      {"phase", object_schema(phase_fields(), "A stretch of a case, on the clock of its process.")},
      {"warning", warning_schema()},
      {"energy",
       object_schema(energy_fields(),
                     "One source of power over a case. Lists by epoch have the warm-up too, and null "
                     "where nothing was read.")},
      {"published", with_member(publication_schema(), "figures", Json::parse(kPublishedFigures))},
      {"published_case", std::move(cases.published)},
  };
}

Json frame(const std::string& kind, std::int64_t version, const std::string& title,
           const std::string& description) {
  return {
      {"$schema", "http://json-schema.org/draft-07/schema#"},
      {"$id", fmt::format("urn:gpubench:schema:{}:{}", kind, version)},
      {"title", fmt::format("gpubench {}, version {}", title, version)},
      {"description", description + kAbsenceRule},
      {"type", "object"},
      {"additionalProperties", false},
      {"required", Json::array({"schema_version", "content_sha256"})},
      {"properties",
       {{"schema_version", {{"description", "A reader refuses every other version."}, {"const", version}}},
        {"content_sha256",
         {{"description",
           "SHA-256 of the canonical text of the document without this key; results/README.md says how to "
           "compute it."},
          {"type", "string"},
          {"pattern", "^[0-9a-f]{64}$"}}}}}};
}

/// With a list at `rows`, of `row` where the document was measured; a published one has none of the
/// `measured` parts.
Json with_rows(Json schema, const std::string& rows, const std::string& row, const std::string& description,
               const std::vector<std::string>& measured) {
  const auto items = [&](const std::string& definition) {
    return Json{{rows, {{"items", reference(definition)}}}};
  };
  Json published = items("published_" + row);
  for (const std::string& part : measured) published[part] = false;
  schema["if"] = {{"required", {"published"}}};
  schema["then"] = {{"properties", published}};
  schema["else"] = {{"required", measured}, {"properties", items(row)}};
  return with_member(std::move(schema), rows, {{"description", description}, {"type", "array"}});
}

Json run_schema() {
  Json schema = frame("run", RunRecord::kSchemaVersion, "result file", "What one run of gpubench measured.");
  Json& properties = schema["properties"];
  for (const std::string part : {"tool", "plan", "environment", "published"})
    properties[part] = reference(part);
  schema = with_rows(
      std::move(schema), "cases", "case",
      "One entry for each model, device, batch size and repetition of the run, in the order they ran, "
      "whatever happened to it.",
      {"tool", "plan", "environment"});
  schema["definitions"] = run_definitions();
  return schema;
}

/// Tool and environment are those of the result file.
void add_shared_parts(Json& schema) {
  for (const std::string part : {"tool", "environment"}) {
    schema["properties"][part] = {
        {"$ref", fmt::format("urn:gpubench:schema:run:{}#/definitions/{}", RunRecord::kSchemaVersion, part)}};
  }
}

Json peak_schema() {
  Json schema = frame("peak", PeakRecord::kSchemaVersion, "peak document",
                      "What `gpubench peak` measured: the peak of the machine's own devices, whose records "
                      "have the figures that stand for the points.");
  add_shared_parts(schema);
  schema["properties"]["points"] = make_list("point", "Everything that was measured, in order.");
  schema["properties"]["points"]["minItems"] = 1;
  for (const char* part : {"tool", "environment", "points"}) schema["required"].push_back(part);
  Json point = object_schema(peak_point_fields(), "One thing at one size.");
  add_rules(point, kPointRules);
  schema["definitions"] = {{"point", std::move(point)}};
  return schema;
}

Json selftest_schema() {
  Json schema = frame("selftest", SelftestRecord::kSchemaVersion, "selftest",
                      "What `gpubench selftest` found: whether what gpubench says of a device is true.");
  add_shared_parts(schema);
  schema["properties"]["checks"] = make_list("check", "A row for each thing that was checked, in order.");
  for (const char* part : {"tool", "environment", "checks"}) schema["required"].push_back(part);
  schema["definitions"] = {{"check", object_schema(check_fields(), "One thing that was checked.")}};
  return schema;
}

Json ops_schema() {
  Json schema = frame("ops", OpsRecord::kSchemaVersion, "table of operations",
                      "What `gpubench ops` measured, or what a publication states of operations.");
  add_shared_parts(schema);
  for (const std::string part : {"settings", "published"}) schema["properties"][part] = reference(part);
  schema = with_rows(
      std::move(schema), "operations", "row",
      "A row for each operation, size, type, direction, state of the caches and device, in the order they "
      "were measured, whatever happened to it.",
      {"tool", "settings", "environment"});
  RowSchemas rows = row_schemas(op_fields(), "row", object_schema(op_fields(), "One operation at one size."));
  add_rules(rows.measured, kRowRules);
  add_rules(rows.published, kPublishedRowRules);
  schema["definitions"] = {{"settings", object_schema(ops_settings_fields(), "What was asked for.")},
                           {"published", publication_schema()},
                           {"warning", warning_schema()},
                           {"row", std::move(rows.measured)},
                           {"row_reasons", std::move(rows.reasons)},
                           {"published_row", std::move(rows.published)}};
  return schema;
}

}  // namespace

Json object_schema(const Fields& fields, const std::string& description) {
  Json required = Json::array();
  Json properties = Json::object();
  Json rules = Json::array();
  for (const FieldFacts& field : fields) {
    properties[field.key] = make_property(field);
    if (field.presence != Presence::kLater) required.push_back(field.key);
    if (field.values.may_be_absent) rules.push_back(reason_rule(field));
  }
  if (!rules.empty()) properties[kAbsentKey] = reasons_schema(fields);
  Json schema{{"description", description},
              {"type", "object"},
              {"additionalProperties", false},
              {"required", std::move(required)},
              {"properties", std::move(properties)}};
  if (!rules.empty()) schema["allOf"] = std::move(rules);
  return schema;
}

std::map<std::string, Json> written_schemas() {
  return {{fmt::format("run:{}", RunRecord::kSchemaVersion), run_schema()},
          {fmt::format("ops:{}", OpsRecord::kSchemaVersion), ops_schema()},
          {fmt::format("peak:{}", PeakRecord::kSchemaVersion), peak_schema()},
          {fmt::format("selftest:{}", SelftestRecord::kSchemaVersion), selftest_schema()}};
}

}  // namespace gpubench::test
