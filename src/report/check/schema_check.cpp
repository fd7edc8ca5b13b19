// Documents against the schemas in results/schema.

#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "gpubench/core/error.h"
#include "gpubench/document_check.h"
#include "gpubench/ops_file.h"
#include "report/check/schemas.h"

namespace gpubench {
namespace {

// What valijson knows.
using Unordered = nlohmann::json;
using Faults = std::vector<std::string>;

constexpr std::string_view kUrn = "urn:gpubench:schema:";

/// The file of the schema that ends its `$id` with "run:2": "run-v2.schema".
std::string file_of(std::string_view name) {
  const std::size_t colon = name.find(':');
  return fmt::format("{}-v{}.schema", name.substr(0, colon), name.substr(colon + 1));
}

bool is_known(const std::string& file) {
  const auto texts = schema_texts();
  return std::any_of(texts.begin(), texts.end(), [&](const EmbeddedText& text) { return text.name == file; });
}

Unordered read_schema(std::string_view file) {
  for (const EmbeddedText& text : schema_texts()) {
    if (text.name == file) return Unordered::parse(text.text);
  }
  throw Error(ErrorKind::kInternal, fmt::format("there is no schema {}", file));
}

std::string sentence(const valijson::ValidationResults::Error& error) {
  std::string place;
  for (const std::string& step : error.context) place += step;
  return place + ": " + error.description;
}

/// One schema refers to another by its `$id`.
const Unordered* fetch_schema(const std::string& uri) {
  return new Unordered(read_schema(file_of(std::string_view(uri).substr(kUrn.size()))));
}

using Schemas = std::map<std::string, valijson::Schema, std::less<>>;

Schemas read_schemas() {
  Schemas schemas;
  for (const EmbeddedText& text : schema_texts()) {
    const Unordered document = read_schema(text.name);
    valijson::SchemaParser(valijson::SchemaParser::kDraft7)
        .populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schemas[std::string(text.name)],
                        fetch_schema, [](const Unordered* fetched) { delete fetched; });
  }
  return schemas;
}

/// Reading one takes longer than checking a document by it.
const valijson::Schema& schema_called(const std::string& name) {
  static const Schemas schemas = read_schemas();
  const auto found = schemas.find(file_of(name));
  if (found != schemas.end()) return found->second;
  throw Error(ErrorKind::kInternal, fmt::format("there is no schema {}", name));
}

void add_structure_faults(Faults& faults, const Unordered& document, const std::string& name) {
  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes)
      .validate(schema_called(name), valijson::adapters::NlohmannJsonAdapter(document), &results);
  valijson::ValidationResults::Error error;
  while (results.popError(error)) faults.push_back(sentence(error));
}

/// Moments may lie before what they count from, a start-up may be faster than an epoch, and a call faster
/// than one in a graph.
bool is_duration(const std::string& key) {
  const bool is_difference = key == "startup_seconds" || key == "launch_cost_seconds";
  return key.ends_with("_seconds") && !is_difference && !key.ends_with("_start_seconds");
}

bool holds_negative(const Unordered& value) {
  const auto is_negative = [](const Unordered& item) { return item.is_number() && item.get<double>() < 0; };
  return is_negative(value) || (value.is_array() && std::any_of(value.begin(), value.end(), is_negative));
}

void add_member_faults(Faults& faults, const Unordered& object, const std::string& key,
                       const std::string& place) {
  const Unordered& value = object.at(key);
  const bool has_reason = object.contains(key + "_reason");
  if (value.is_null() && !has_reason) faults.push_back(place + ": null without a reason");
  if (!value.is_null() && has_reason) faults.push_back(place + ": present, yet with a reason");
  if (is_duration(key) && holds_negative(value)) faults.push_back(place + ": a negative duration");
}

void add_value_faults(Faults& faults, const Unordered& value, const std::string& place) {
  for (const auto& [key, child] : value.items()) {
    const std::string child_place = place + "[" + key + "]";
    if (value.is_object()) add_member_faults(faults, value, key, child_place);
    if (child.is_structured()) add_value_faults(faults, child, child_place);
  }
}

std::string kind_of(const Json& document) {
  if (is_ops_document(document)) return "ops";
  return document.contains("points") ? "peak" : "run";
}

}  // namespace

std::vector<std::string> schema_faults(const Json& document, const std::string& name) {
  const Unordered unordered = document;
  Faults faults;
  add_structure_faults(faults, unordered, name);
  if (unordered.is_structured()) add_value_faults(faults, unordered, "<root>");
  return faults;
}

std::string schema_of(const Json& document) {
  const bool has_version = document.is_object() && document.contains("schema_version");
  if (!has_version) {
    throw Error(ErrorKind::kData, "schema_version: is missing, so this is no document of gpubench");
  }
  const std::string name = kind_of(document) + ":" + json_text(document.at("schema_version"));
  if (is_known(file_of(name))) return name;
  throw Error(ErrorKind::kData, fmt::format("schema_version: {} is unknown; use the gpubench that wrote the "
                                            "file, or a newer one",
                                            json_text(document.at("schema_version"))));
}

}  // namespace gpubench
