#pragma once
// Checks a result document against results/schema/run-v1.schema.json.

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

/// What is wrong with `document`, a sentence each with the place it is about; empty for a valid result.
/// Beyond the schema: a null member has its `_reason`, and no duration but `startup_seconds` is negative.
/// Throws std::runtime_error where the schema itself cannot be read.
std::vector<std::string> schema_errors(const nlohmann::json& document);

}  // namespace gpubench::test
