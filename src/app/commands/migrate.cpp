#include <fmt/format.h>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/files/migration.h"
#include "app/files/result_file.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/record/peak_record.h"
#include "record/check/document_check.h"
#include "record/document/document_file.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::string file;
  DocumentOutput to;
};

bool is_newest(const Json& document) {
  const std::string schema = schema_of(document);
  return schema == fmt::format("run:{}", RunRecord::kSchemaVersion) ||
         schema == fmt::format("peak:{}", kPeakSchemaVersion) ||
         schema == fmt::format("ops:{}", OpsRecord::kSchemaVersion) ||
         schema == fmt::format("selftest:{}", SelftestRecord::kSchemaVersion);
}

ExitCode migrate(const Options& options) {
  const std::string& path = options.file;
  const Json document = read_document(path);
  try {
    if (is_newest(document)) {
      say(path + ": is of the present version, there is nothing to do");
      write_document(options.to, path, read_document_text(path));
    } else {
      write_document(options.to, path, migrated(document));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(ErrorKind::kData, "{}: {}", path, error.what());
  }
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "FILE", "Result file", options->file).required();
  add_document_output(parser, options->to);
  parser.footer("Example:\n  gpubench migrate old.json -o new.json");
  parser.on_parsed([options] { return migrate(*options); });
}

}  // namespace

CommandEntry entry_migrate() {
  return {"migrate", "Bring the result file of an older gpubench up to date", CommandKind::kUnlisted,
          add_options};
}

}  // namespace gpubench
