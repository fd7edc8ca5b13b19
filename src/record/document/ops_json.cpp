// Tables of operations to JSON and back.

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/record/field_table.h"
#include "record/document/content_hash.h"
#include "record/document/document_file.h"
#include "record/document/json_object.h"
#include "record/document/json_value.h"
#include "record/document/ops_file.h"

namespace gpubench {
namespace {

constexpr const char* kRows = "operations";

Json published_document(const OpsRecord& record) {
  Json document;
  document["schema_version"] = OpsRecord::kSchemaVersion;
  document["published"] = object_of(published_fields(), *record.published);
  document[kRows] = Json::array();
  for (const OpRecord& row : record.rows) document[kRows].push_back(told_object(op_fields(), row));
  return document;
}

void require_table(const Json& document) {
  if (!is_ops_document(document)) {
    refuse(kRows, "is missing, so this is no table of operations; name a file that 'gpubench ops' wrote");
  }
  require_version(document, OpsRecord::kSchemaVersion);
}

}  // namespace

Json to_json(const OpRecord& row) { return object_of(op_fields(), row); }
Json to_json(const OpsSettings& settings) { return object_of(ops_settings_fields(), settings); }

OpRecord op_from_json(const Json& object, const std::string& where) {
  return record_of(object, op_fields(), where);
}

OpsSettings ops_settings_from_json(const Json& object, const std::string& where) {
  return record_of(object, ops_settings_fields(), where);
}

bool is_ops_document(const Json& document) { return document.is_object() && document.contains(kRows); }

Json ops_to_json(const OpsRecord& record) {
  if (record.published) return published_document(record);
  Json document;
  document["schema_version"] = OpsRecord::kSchemaVersion;
  document["tool"] = to_json(record.tool);
  document["settings"] = to_json(record.settings);
  document["environment"] = to_json(record.environment);
  document[kRows] = list_of(op_fields(), record.rows);
  return document;
}

OpsRecord ops_from_json(const Json& document) {
  require_object(document, "table of operations");
  require_table(document);
  OpsRecord record;
  if (document.contains("tool")) record.tool = tool_from_json(document.at("tool"));
  if (document.contains("settings")) record.settings = ops_settings_from_json(document.at("settings"));
  if (document.contains("environment"))
    record.environment = environment_from_json(document.at("environment"));
  if (document.contains("published")) {
    record.published = record_of(document.at("published"), published_fields(), "published");
  }
  read_list(record.rows, document, kRows, "", op_from_json);
  return record;
}

std::string ops_document(const OpsRecord& record) { return document_text(sealed(ops_to_json(record))); }

OpsRecord read_ops_file(const std::filesystem::path& path) {
  const Json document = read_document(path);
  try {
    return ops_from_json(document);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace gpubench
