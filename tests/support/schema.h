#pragma once
// Validation of documents with JSON schemas.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

/// Returns the errors of `document` by the schema in results/schema; empty if valid.
std::vector<std::string> schema_errors(const nlohmann::json& document);

/// Returns the errors of `document` by `schema`.
std::vector<std::string> errors_by(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace gpubench::test
