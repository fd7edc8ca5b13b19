#pragma once
// Where the commands that make a document of others put it.

#include <string>

namespace gpubench {

/// Writes `text` to what `output` names as ResultFile takes it, and says so on stderr; or to stdout where
/// `output` is empty or "-". `source` is the file it was made of, whose name it gets in a folder. Throws a
/// usage Error where it cannot be written.
void write_document(const std::string& output, const std::string& source, const std::string& text);

}  // namespace gpubench
