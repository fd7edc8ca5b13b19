// Documents against their schemas: results/schema has them all.

#include <map>

#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "gpubench/core/error.h"
#include "record/check/document_check.h"
#include "record/check/document_schema.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

// What valijson knows.
using Unordered = nlohmann::json;
using Faults = std::vector<std::string>;

constexpr std::string_view kUrn = "urn:gpubench:schema:";

/// "run-v2.schema" is what the file of "run:2" is called.
std::string name_of(std::string_view file) {
  const std::size_t mark = file.find("-v");
  const std::string_view version = file.substr(mark + 2);
  return fmt::format("{}:{}", file.substr(0, mark), version.substr(0, version.find('.')));
}

using Documents = std::map<std::string, Unordered, std::less<>>;

/// Those of older versions are kept as they were, the newest follow from the field tables.
const Documents& documents() {
  static const Documents all = [] {
    Documents made;
    for (const EmbeddedText& text : schema_texts())
      made.emplace(name_of(text.name), Unordered::parse(text.text));
    for (const auto& [name, schema] : written_schemas()) made.emplace(name, schema);
    return made;
  }();
  return all;
}

/// One schema refers to another by its `$id`.
const Unordered* fetch_schema(const std::string& uri) { return &documents().at(uri.substr(kUrn.size())); }

void read_schema(const Unordered& document, valijson::Schema& schema) {
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schema, fetch_schema,
                      [](const Unordered* /*fetched*/) {});
}

using Schemas = std::map<std::string, valijson::Schema, std::less<>>;

/// Reading one takes longer than checking a document by it.
const valijson::Schema& schema_called(const std::string& name) {
  static const Schemas schemas = [] {
    Schemas read;
    for (const auto& [known, document] : documents()) read_schema(document, read[known]);
    return read;
  }();
  const auto found = schemas.find(name);
  if (found != schemas.end()) return found->second;
  throw Error(ErrorKind::kInternal, "there is no schema {}", name);
}

std::string sentence(const valijson::ValidationResults::Error& error) {
  std::string place;
  for (const std::string& step : error.context) place += step;
  return place + ": " + error.description;
}

Faults faults_of(const valijson::Schema& schema, const Unordered& document) {
  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes)
      .validate(schema, valijson::adapters::NlohmannJsonAdapter(document), &results);
  Faults faults;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) faults.push_back(sentence(error));
  return faults;
}

std::string kind_of(const Json& document) {
  if (is_ops_document(document)) return "ops";
  if (is_selftest_document(document)) return "selftest";
  return document.contains("points") ? "peak" : "run";
}

}  // namespace

Faults schema_faults(const Json& document, const std::string& name) {
  return faults_of(schema_called(name), document);
}

Faults faults_by(const Json& schema, const Json& document) {
  valijson::Schema read;
  read_schema(schema, read);
  return faults_of(read, document);
}

std::string schema_of(const Json& document) {
  const bool has_version = document.is_object() && document.contains("schema_version");
  if (!has_version) {
    throw Error(ErrorKind::kData, "schema_version: is missing, so this is no document of gpubench");
  }
  const std::string name = kind_of(document) + ":" + json_text(document.at("schema_version"));
  if (documents().contains(name)) return name;
  throw Error(ErrorKind::kData,
              "schema_version: {} is unknown; use the gpubench that wrote the "
              "file, or a newer one",
              json_text(document.at("schema_version")));
}

}  // namespace gpubench
