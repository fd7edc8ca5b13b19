#pragma once
// Documents to damage: whole ones, written by the stand-in, and fixtures.

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

using Json = nlohmann::json;

/// A run of two processes, as the program writes it.
const std::string& run_document();
/// Operations of one kind, as the program writes them.
const std::string& ops_document();
/// A file of tests/fixtures/results.
std::string fixture(const std::string& name);

/// The pointers of all values that `wanted` takes, of a list the first such in each place: /cases/0/batch.
std::vector<std::string> pointers(const Json& document, const std::function<bool(const Json&)>& wanted);

/// The document with another value at this place.
std::string with(const std::string& document, const std::string& pointer, const Json& value);

/// `text`, `count` times.
std::string times(std::size_t count, const std::string& text);

}  // namespace gpubench::test
