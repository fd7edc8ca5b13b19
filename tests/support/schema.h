#pragma once
// Checks documents against the schemas in results/schema.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

/// Returns what is wrong with `document` by the schema of its kind; empty for a valid result.
std::vector<std::string> schema_errors(const nlohmann::json& document);

}  // namespace gpubench::test
