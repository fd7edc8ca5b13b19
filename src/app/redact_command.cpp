#include <fmt/format.h>

#include "app/commands.h"
#include "app/document_output.h"
#include "app/ops_inputs.h"
#include "app/own_identity.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/ops_file.h"
#include "gpubench/record/redaction.h"
#include "gpubench/record_json.h"
#include "gpubench/run_file.h"

namespace gpubench {

namespace {

void tell(const std::vector<Replacement>& replacements, const std::string& path) {
  for (const Replacement& entry : replacements) {
    say(fmt::format("'{}' is now '{}' in {} {}", entry.found, entry.word, entry.count,
                    entry.count == 1 ? "place" : "places"));
  }
  if (replacements.empty()) say(path + ": nothing was to be replaced");
}

}  // namespace

ExitCode run_redact(const DocumentOptions& options) {
  const std::string& path = options.files.front();
  if (are_ops({path})) {
    OpsRecord ops = read_ops_file(path);
    tell(redact(ops, own_identity()), path);
    write_document(options.output, path, ops_document(ops));
    return ExitCode::kOk;
  }
  RunRecord run = read_run_file(path);
  tell(redact(run, own_identity()), path);
  write_document(options.output, path, run_document(run));
  return ExitCode::kOk;
}

}  // namespace gpubench
