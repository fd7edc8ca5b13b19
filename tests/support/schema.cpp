#include "support/schema.h"

#include <fstream>
#include <map>

#include <fmt/format.h>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "gpubench/core/error.h"
#include "record/document/record_json.h"
#include "support/paths.h"

namespace gpubench::test {
namespace {

// valijson reads no other kind.
using Unordered = nlohmann::json;
using Errors = std::vector<std::string>;

constexpr std::string_view kUrn = "urn:gpubench:schema:";

/// The schema called "run:3", which is in run-v3.schema.json.
const Unordered& schema_document(const std::string& name) {
  static std::map<std::string, Unordered> read;
  const auto [entry, is_new] = read.try_emplace(name);
  if (is_new) {
    const std::size_t colon = name.find(':');
    entry->second =
        Unordered::parse(std::ifstream(fmt::format("{}/results/schema/{}-v{}.schema.json", source_dir(),
                                                   name.substr(0, colon), name.substr(colon + 1))));
  }
  return entry->second;
}

/// One schema refers to another by its `$id`.
const Unordered* fetch_schema(const std::string& uri) { return &schema_document(uri.substr(kUrn.size())); }

void read_schema(const Unordered& document, valijson::Schema& schema) {
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schema, fetch_schema,
                      [](const Unordered* /*fetched*/) {});
}

/// Reading a schema takes longer than checking a document by it.
const valijson::Schema& known_schema(const std::string& name) {
  static std::map<std::string, valijson::Schema> read;
  const auto [entry, is_new] = read.try_emplace(name);
  if (is_new) read_schema(schema_document(name), entry->second);
  return entry->second;
}

Errors find_errors(const valijson::Schema& schema, const Unordered& document) {
  const valijson::adapters::NlohmannJsonAdapter adapter(document);
  valijson::ValidationResults results;
  valijson::Validator(valijson::Validator::kStrongTypes).validate(schema, adapter, &results);
  Errors errors;
  valijson::ValidationResults::Error error;
  while (results.popError(error)) {
    std::string place;
    for (const std::string& step : error.context) place += step;
    errors.push_back(place + ": " + error.description);
  }
  return errors;
}

std::string schema_name(DocumentKind kind) {
  switch (kind) {
    case DocumentKind::kOperations:
      return "ops";
    case DocumentKind::kPeak:
      return "peak";
    case DocumentKind::kSelftest:
      return "selftest";
    case DocumentKind::kRun:
      break;
  }
  return "run";
}

}  // namespace

Errors schema_errors(const Unordered& document) {
  const DocumentKind kind = document_kind(document);
  return find_errors(known_schema(fmt::format("{}:{}", schema_name(kind), find_schema_version(kind))),
                     document);
}

Errors errors_by(const Unordered& schema, const Unordered& document) {
  valijson::Schema read;
  read_schema(schema, read);
  return find_errors(read, document);
}

}  // namespace gpubench::test
