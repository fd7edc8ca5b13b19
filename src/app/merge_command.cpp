#include "app/commands.h"
#include "app/document_output.h"
#include "app/tool_record.h"
#include "gpubench/record/merge.h"
#include "gpubench/record_json.h"
#include "gpubench/run_file.h"

namespace gpubench {

ExitCode run_merge(const DocumentOptions& options, const std::vector<std::string>& arguments) {
  std::vector<NamedRun> runs;
  for (const std::string& path : options.files) runs.push_back({path, read_run_file(path)});
  RunRecord whole = merged(runs);
  // The command line says that it was merged, and from which files.
  ToolRecord tool = tool_record(arguments, whole.tool.started_at);
  tool.finished_at = whole.tool.finished_at;
  whole.tool = std::move(tool);
  write_document(options.output, "merged.json", run_document(whole));
  return ExitCode::kOk;
}

}  // namespace gpubench
