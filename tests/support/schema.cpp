#include "support/schema.h"

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

namespace gpubench::test {
namespace {

using Json = nlohmann::json;
using Errors = std::vector<std::string>;

constexpr const char* kUrn = "urn:gpubench:schema:";

/// The schema that is called "run:1" after kUrn in its own `$id`.
Json read_schema(const std::string& name) {
  const std::size_t colon = name.find(':');
  const std::string path = GPUBENCH_SOURCE_DIR "/results/schema/" + name.substr(0, colon) + "-v" +
                           name.substr(colon + 1) + ".schema.json";
  std::ifstream in(path);
  if (!in) throw std::runtime_error("cannot read " + path);
  return Json::parse(in);
}

std::string sentence(const valijson::ValidationResults::Error& error) {
  std::string place;
  for (const std::string& step : error.context) place += step;
  return place + ": " + error.description;
}

/// One schema refers to another by its `$id`.
const Json* fetch_schema(const std::string& uri) {
  return new Json(read_schema(uri.substr(std::string(kUrn).size())));
}

void add_structure_errors(Errors& errors, const Json& document, const std::string& name) {
  const Json schema_document = read_schema(name);
  valijson::Schema schema;
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(schema_document), schema, fetch_schema,
                      [](const Json* fetched) { delete fetched; });

  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes)
      .validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results);
  valijson::ValidationResults::Error error;
  while (results.popError(error)) errors.push_back(sentence(error));
}

bool is_duration(const std::string& key) { return key.ends_with("_seconds") && key != "startup_seconds"; }

bool holds_negative(const Json& value) {
  const auto is_negative = [](const Json& item) { return item.is_number() && item.get<double>() < 0; };
  return is_negative(value) || (value.is_array() && std::any_of(value.begin(), value.end(), is_negative));
}

void add_member_errors(Errors& errors, const Json& object, const std::string& key, const std::string& place) {
  const Json& value = object.at(key);
  const auto reason = object.find(key + "_reason");
  if (value.is_null() && reason == object.end()) errors.push_back(place + ": null without a reason");
  if (!value.is_null() && reason != object.end()) errors.push_back(place + ": present, yet with a reason");
  if (is_duration(key) && holds_negative(value)) errors.push_back(place + ": a negative duration");
}

void add_value_errors(Errors& errors, const Json& value, const std::string& place) {
  for (const auto& [key, child] : value.items()) {
    const std::string child_place = place + "[" + key + "]";
    if (value.is_object()) add_member_errors(errors, value, key, child_place);
    if (child.is_structured()) add_value_errors(errors, child, child_place);
  }
}

}  // namespace

Errors schema_errors(const Json& document, const std::string& schema) {
  Errors errors;
  add_structure_errors(errors, document, schema);
  if (document.is_structured()) add_value_errors(errors, document, "<root>");
  return errors;
}

}  // namespace gpubench::test
