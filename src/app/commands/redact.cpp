#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/record/redaction.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::redact_plugin {
namespace {

struct Options {
  std::string file;
  DocumentOutput to;
};

template <class Record>
ExitCode redact_record(Record record, std::string (*to_text)(const Record&), const Options& options) {
  const std::vector<std::string> removed = redact(record);
  log_info("{}: removed: {}", options.file, removed.empty() ? "nothing" : join(removed));
  write_document(options.to, "shared.json", to_text(record));
  return ExitCode::kOk;
}

ExitCode redact_file(const Options& options) {
  const Json document = read_document(options.file);
  try {
    const DocumentKind kind = document_kind(document);
    if (kind == DocumentKind::kSelftest)
      return redact_record(selftest_from_json(document), selftest_document, options);
    if (kind == DocumentKind::kOperations)
      return redact_record(ops_from_json(document), ops_document, options);
    return redact_record(run_from_json(document), run_document, options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", options.file, error.what());
  }
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "FILE", "Result file", options->file).required();
  add_document_output(parser, options->to);
  parser.footer(
      "Prints the keys of the removed values on stderr. 'gpubench --anonymize' writes such files at once.\n"
      "Example:\n  gpubench redact results/mine.json -o shared.json");
  parser.on_parsed([options] { return redact_file(*options); });
}

}  // namespace

CommandEntry entry_redact() {
  return {"redact", "Remove host name, command line, paths and other texts from a result file",
          CommandKind::kUnlisted, add_options};
}

}  // namespace gpubench::redact_plugin
