#include <algorithm>

#include "app/command.h"
#include "gpubench/core/io/messages.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::validate_plugin {
namespace {

/// Returns true if the file is fine.
bool validate(const std::string& path) {
  try {
    const std::vector<std::string> faults = document_faults(read_document(path));
    for (const std::string& fault : faults) print_line(path + ": " + fault);
    if (faults.empty()) print_line(path + ": ok");
    return faults.empty();
  } catch (const Error& error) {
    print_line(error.what());
    return false;
  }
}

ExitCode validate_all(const std::vector<std::string>& paths) {
  const auto faulty = std::ranges::count(paths, false, validate);
  return faulty == 0 ? ExitCode::kOk : ExitCode::kData;
}

void add_options(CommandParser& parser) {
  const auto files = std::make_shared<std::vector<std::string>>();
  parser.option("files", "FILE ...", "Result files", *files).required();
  parser.footer(
      "Prints 'ok' or each fault, with the file; exits with 3 where there is one.\n"
      "Example:\n  gpubench validate results/*.json");
  parser.on_parsed([files] { return validate_all(*files); });
}

}  // namespace

CommandEntry entry_validate() {
  return {"validate", "Check result files: schema, derived values, checksum", CommandKind::kUnlisted,
          add_options};
}

}  // namespace gpubench::validate_plugin
