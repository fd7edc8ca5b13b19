#include <fmt/format.h>

#include "app/commands.h"
#include "app/document_output.h"
#include "app/own_identity.h"
#include "gpubench/record_json.h"
#include "gpubench/run_file.h"

namespace gpubench {

ExitCode run_redact(const DocumentOptions& options) {
  const std::string& path = options.files.front();
  RunRecord run = read_run_file(path);
  const std::vector<Replacement> replacements = redact(run, own_identity());
  for (const Replacement& entry : replacements) {
    fmt::print(stderr, "gpubench: '{}' is now '{}' in {} {}\n", entry.found, entry.word, entry.count,
               entry.count == 1 ? "place" : "places");
  }
  if (replacements.empty()) fmt::print(stderr, "gpubench: {}: nothing was to be replaced\n", path);
  write_document(options.output, path, run_document(run));
  return ExitCode::kOk;
}

}  // namespace gpubench
