#pragma once
// Documents to damage: fixtures, and documents written by runs of stand-in workers.

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace gpubench::test {

using Json = nlohmann::json;

/// Returns the document of a run of two processes.
const std::string& run_document();
/// Returns the document of a table of operations.
const std::string& ops_document();
/// Returns a file of tests/fixtures/results.
std::string fixture(const std::string& name);

/// Returns pointers such as /cases/0/batch to all values that `wanted` accepts, of list elements only the
/// first one.
std::vector<std::string> pointers(const Json& document, const std::function<bool(const Json&)>& wanted);

/// Returns the document with another value at `pointer`.
std::string with(const std::string& document, const std::string& pointer, const Json& value);

/// Returns `text`, repeated `count` times.
std::string times(std::size_t count, const std::string& text);

}  // namespace gpubench::test
