#include "support/schema.h"

#include <fstream>
#include <memory>

#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "support/paths.h"

namespace gpubench::test {
namespace {

// valijson supports this type only.
using Unordered = nlohmann::json;
using Errors = std::vector<std::string>;

void read_schema(const Unordered& document, valijson::Schema& schema) {
  valijson::SchemaParser(valijson::SchemaParser::kDraft7)
      .populateSchema(valijson::adapters::NlohmannJsonAdapter(document), schema);
}

/// Returns the schema, which is cached because parsing it takes longer than validating a document.
const valijson::Schema& document_schema() {
  static const auto read = [] {
    auto schema = std::make_unique<valijson::Schema>();
    const std::string path = source_dir() + "/results/schema/result-v1.schema.json";
    read_schema(Unordered::parse(std::ifstream(path)), *schema);
    return schema;
  }();
  return *read;
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

}  // namespace

Errors schema_errors(const Unordered& document) { return find_errors(document_schema(), document); }

Errors errors_by(const Unordered& schema, const Unordered& document) {
  valijson::Schema read;
  read_schema(schema, read);
  return find_errors(read, document);
}

}  // namespace gpubench::test
