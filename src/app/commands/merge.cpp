#include "gpubench/record/merge.h"
#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/result_file.h"
#include "compare/comparability.h"
#include "gpubench/core/collect.h"
#include "record/document/record_json.h"

namespace gpubench::merge_plugin {
namespace {

struct Options {
  std::vector<std::string> files;
  DocumentOutput to;
};

ExitCode merge(const Options& options, const std::vector<std::string>& arguments) {
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

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("files", "FILE ...", "Result files", options->files).required();
  add_output(parser, "File, folder, or - for stdout", options->to.output, options->to.overwrites).required();
  parser.footer("Example:\n  gpubench merge monday.json tuesday.json -o week.json");
  parser.on_parsed([options, arguments = parser.line().arguments] { return merge(*options, arguments); });
}

}  // namespace

CommandEntry entry_merge() {
  return {"merge", "Make one result file of several runs of one machine", CommandKind::kUnlisted,
          add_options};
}

}  // namespace gpubench::merge_plugin
