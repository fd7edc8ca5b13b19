#pragma once
// Checks documents against the schemas in results/schema.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

/// What is wrong with `document`, a sentence each with the place it is about; empty for a valid result.
/// Beyond the schema: a null member has its `_reason`, and no duration but `startup_seconds` is negative.
/// `schema` is the end of the schema's `$id`: "run:1", "peak:1". Throws std::runtime_error where the schema
/// itself cannot be read.
std::vector<std::string> schema_errors(const nlohmann::json& document, const std::string& schema = "run:1");

}  // namespace gpubench::test
