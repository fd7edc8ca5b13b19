#include <fmt/format.h>

#include "app/commands/common_options.h"
#include "app/commands/entries.h"
#include "app/files/result_file.h"
#include "app/run/peak_report.h"
#include "gpubench/core/io/messages.h"
#include "record/check/document_check.h"
#include "record/document/document_file.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::string file;
  std::string output;  ///< As write_document takes it.
};

bool is_newest(const Json& document) {
  const std::string schema = schema_of(document);
  return schema == fmt::format("run:{}", RunRecord::kSchemaVersion) ||
         schema == fmt::format("peak:{}", kPeakSchemaVersion) ||
         schema == fmt::format("ops:{}", OpsRecord::kSchemaVersion);
}

/// Up to version 2 the reason stood beside the value.
Json migrated_point(Json point) {
  const auto reason = point.find("value_reason");
  if (reason == point.end()) return point;
  point["absent"] = {{"value", *reason}};
  point.erase("value_reason");
  return point;
}

Json migrated_peak(Json document) {
  document["schema_version"] = kPeakSchemaVersion;
  document["tool"] = to_json(document.at("tool").get<ToolRecord>());
  document["environment"] = to_json(document.at("environment").get<Environment>());
  for (Json& point : document["points"]) point = migrated_point(point);
  return sealed(std::move(document));
}

std::string migrated(const Json& document) {
  if (is_ops_document(document)) return ops_document(ops_from_json(document));
  if (!document.contains("points")) return run_document(run_from_json(document));
  return document_text(migrated_peak(document));
}

ExitCode migrate(const Options& options) {
  const std::string& path = options.file;
  const Json document = read_document(path);
  try {
    if (is_newest(document)) {
      say(path + ": is of the present version, there is nothing to do");
      write_document(options.output, path, read_document_text(path));
    } else {
      write_document(options.output, path, migrated(document));
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
  add_document_output(parser, options->output);
  parser.footer("Example:\n  gpubench migrate old.json -o new.json");
  parser.on_parsed([options] { return migrate(*options); });
}

}  // namespace

CommandEntry entry_migrate() {
  return {"migrate", "Bring the result file of an older gpubench up to date", CommandKind::kUnlisted,
          add_options};
}

}  // namespace gpubench
