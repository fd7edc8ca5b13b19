#pragma once
// Checks documents against the schemas in results/schema.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

/// What is wrong with `document` by the schema of that name, as schema_faults says; empty for a valid result.
std::vector<std::string> schema_errors(const nlohmann::json& document, const std::string& schema = "run:3");

}  // namespace gpubench::test
