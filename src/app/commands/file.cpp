#include <algorithm>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/power_import.h"
#include "app/files/result_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/record/merge.h"
#include "gpubench/record/redaction.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::file_plugin {
namespace {

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

void add_validate(CommandParser parser) {
  const auto files = std::make_shared<std::vector<std::string>>();
  parser.option("files", "FILE ...", "Result files", *files).required();
  parser.footer(
      "Prints 'ok' or the faults of each file. Exit code 3: a file has a fault.\n"
      "Example:\n  gpubench file validate results/*.json");
  parser.on_parsed([files] { return validate_all(*files); });
}

struct MergeOptions {
  std::vector<std::string> files;
  DocumentOutput to;
};

ExitCode merge(const MergeOptions& options, const std::vector<std::string>& arguments) {
  RunRecord whole = merged(mapped(options.files, [](const std::string& path) {
    return NamedRun{path, read_run_file(path)};
  }));
  // The command line says that it was merged, and from which files.
  ToolRecord tool = tool_record(arguments, whole.tool.started_at);
  tool.finished_at = whole.tool.finished_at;
  if (whole.tool.version == kAnotherProgram) tool.version = kAnotherProgram;
  whole.tool = std::move(tool);
  write_document(options.to, "merged.json", run_document(whole));
  return ExitCode::kOk;
}

void add_merge(CommandParser parser) {
  const auto options = std::make_shared<MergeOptions>();
  parser.option("files", "FILE ...", "Result files", options->files).required();
  add_output(parser, "File, folder, or - for stdout", options->to.output, options->to.overwrites).required();
  parser.footer("Example:\n  gpubench file merge monday.json tuesday.json -o week.json");
  parser.on_parsed([options, arguments = parser.line().arguments] { return merge(*options, arguments); });
}

struct AnonymizeOptions {
  std::string file;
  DocumentOutput to;
};

template <class Record>
ExitCode anonymize_record(Record record, std::string (*to_text)(const Record&),
                          const AnonymizeOptions& options) {
  const std::vector<std::string> removed = redact(record);
  log_info("{}: removed: {}", options.file, removed.empty() ? "nothing" : join(removed));
  write_document(options.to, "shared.json", to_text(record));
  return ExitCode::kOk;
}

ExitCode anonymize(const AnonymizeOptions& options) {
  return read_document_as(options.file, [&](const Json& document) {
    const DocumentKind kind = document_kind(document);
    if (kind == DocumentKind::kSelftest)
      return anonymize_record(selftest_from_json(document), selftest_document, options);
    if (kind == DocumentKind::kOperations)
      return anonymize_record(ops_from_json(document), run_document, options);
    return anonymize_record(run_from_json(document), run_document, options);
  });
}

void add_anonymize_command(CommandParser parser) {
  const auto options = std::make_shared<AnonymizeOptions>();
  parser.option("file", "FILE", "Result file", options->file).required();
  add_document_output(parser, options->to);
  parser.footer(
      "Prints the keys of the removed values to stderr.\n"
      "Example:\n  gpubench file anonymize results/mine.json -o shared.json");
  parser.on_parsed([options] { return anonymize(*options); });
}

void add_options(CommandParser& parser) {
  parser.footer(
      "Examples:\n  gpubench file validate results/*.json\n"
      "  gpubench file anonymize results/mine.json -o shared.json");
  add_validate(parser.subcommand("validate", "Check schema, derived values and checksum"));
  add_merge(parser.subcommand("merge", "Merge result files of one machine into one"));
  add_anonymize_command(parser.subcommand("anonymize", "Remove host name, command line and paths"));
  add_import_power(parser.subcommand("import-power", "Add energy from a power log to a run"));
  parser.require_subcommand("file: no subcommand; name one, as in 'gpubench file validate run.json'");
}

}  // namespace

CommandEntry entry_file() {
  return {"file", "Validate, merge or anonymize files; import power logs", add_options};
}

}  // namespace gpubench::file_plugin
