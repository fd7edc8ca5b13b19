#include "app/commands/common_options.h"
#include "app/commands/entries.h"
#include "app/files/inputs.h"
#include "app/files/result_file.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/record/redaction.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::string file;
  std::string output;  ///< As write_document takes it.
};

void tell(const std::vector<Replacement>& replacements, const std::string& path) {
  for (const Replacement& entry : replacements) {
    say("'{}' is now '{}' in {} {}", entry.found, entry.word, entry.count,
        entry.count == 1 ? "place" : "places");
  }
  if (replacements.empty()) say(path + ": nothing was to be replaced");
}

ExitCode redact_file(const Options& options) {
  const std::string& path = options.file;
  if (is_selftest_document(read_document(path))) {
    SelftestRecord selftest = read_selftest_file(path);
    tell(redact(selftest, own_identity()), path);
    write_document(options.output, path, selftest_document(selftest));
    return ExitCode::kOk;
  }
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

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "FILE", "Result file", options->file).required();
  add_document_output(parser, options->output);
  parser.footer(
      "Says on stderr what was replaced. 'gpubench --share' writes such files at once.\n"
      "Example:\n  gpubench redact results/mine.json -o shared.json");
  parser.on_parsed([options] { return redact_file(*options); });
}

}  // namespace

CommandEntry entry_redact() {
  return {"redact", "Take names of host, user and folders out of a result file", CommandKind::kUnlisted,
          add_options};
}

}  // namespace gpubench
