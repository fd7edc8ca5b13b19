#pragma once
// Checks documents against JSON schemas.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

/// Returns what is wrong with `document` by the schema in results/schema; empty for a valid one.
std::vector<std::string> schema_errors(const nlohmann::json& document);

/// Returns what is wrong with `document` by `schema`.
std::vector<std::string> errors_by(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace gpubench::test
