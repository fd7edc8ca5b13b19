#include <algorithm>

#include "gpubench/core/nearest.h"
#include "record/check/document_schema.h"
#include "record/document/json_object.h"

namespace gpubench {
namespace {

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

}  // namespace gpubench
