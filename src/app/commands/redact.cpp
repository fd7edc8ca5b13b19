#include <filesystem>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/record/redaction.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::string file;
  DocumentOutput to;
};

void tell(const std::vector<Replacement>& replacements, const std::string& path) {
  for (const Replacement& entry : replacements) {
    say("'{}' is now '{}' in {} {}", entry.found, entry.word, entry.count,
        entry.count == 1 ? "place" : "places");
  }
  if (replacements.empty()) say(path + ": nothing was to be replaced");
}

/// In a folder the file gets its former name, which may tell of the host as well.
template <class Record>
ExitCode redact_record(Record record, std::string (*text_of)(const Record&), const Options& options) {
  const std::vector<Replacement> replacements = redact(record, own_identity());
  tell(replacements, options.file);
  const std::string name = std::filesystem::path(options.file).filename().string();
  write_document(options.to, redacted(name, replacements), text_of(record));
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
