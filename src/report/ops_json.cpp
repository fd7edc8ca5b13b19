// Tables of operations to JSON and back.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "gpubench/content_hash.h"
#include "gpubench/core/error.h"
#include "gpubench/document_file.h"
#include "gpubench/ops_file.h"
#include "gpubench/record/op_fields.h"
#include "report/json_object.h"
#include "report/record_of.h"

namespace gpubench {
namespace {

constexpr const char* kRows = "operations";

/// What a row is about is always told, even where it is what an empty record says.
bool is_always_told(const std::string& key) {
  static constexpr std::array<const char*, 6> kKeys = {"op",        "sizes",  "type",
                                                       "direction", "device", "status"};
  return std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
}

/// Of what a publication does not tell there is no key: its default would read as a figure.
Json told_json(const OpRecord& row) {
  const OpRecord untold;
  Json told = Json::object();
  for (const Field<OpRecord>& field : op_fields()) {
    if (!field.set) continue;
    if (is_always_told(field.key) || field.get(row) != field.get(untold)) put_field(told, field, row);
  }
  return told;
}

Json published_document(const OpsRecord& record) {
  Json document;
  document["schema_version"] = OpsRecord::kSchemaVersion;
  document["published"] = object_of(published_fields(), *record.published);
  document[kRows] = Json::array();
  for (const OpRecord& row : record.rows) document[kRows].push_back(told_json(row));
  return document;
}

void require_version(const Json& document) {
  if (!is_ops_document(document)) {
    refuse(kRows, "is missing, so this is no table of operations; name a file that 'gpubench ops' wrote");
  }
  if (!document.contains("schema_version")) {
    refuse("schema_version", "is missing, so this is no table of gpubench; name a file that gpubench wrote");
  }
  const Json& version = document.at("schema_version");
  if (version == OpsRecord::kSchemaVersion) return;
  refuse("schema_version", fmt::format("{} is unknown, {} is expected; read the file with the gpubench that "
                                       "wrote it, or with a newer one",
                                       json_text(version), OpsRecord::kSchemaVersion));
}

OpRecord row_from_json(const Json& object, const std::string& where) {
  return record_of(object, op_fields(), where);
}

}  // namespace

bool is_ops_document(const Json& document) { return document.is_object() && document.contains(kRows); }

Json ops_to_json(const OpsRecord& record) {
  if (record.published) return published_document(record);
  Json document;
  document["schema_version"] = OpsRecord::kSchemaVersion;
  document["tool"] = to_json(record.tool);
  document["settings"] = object_of(ops_settings_fields(), record.settings);
  document["environment"] = to_json(record.environment);
  document[kRows] = list_of(op_fields(), record.rows);
  return document;
}

OpsRecord ops_from_json(const Json& document) {
  require_object(document, "table of operations");
  require_version(document);
  OpsRecord record;
  if (document.contains("tool")) record.tool = tool_from_json(document.at("tool"));
  if (document.contains("settings")) {
    record.settings = record_of(document.at("settings"), ops_settings_fields(), "settings");
  }
  if (document.contains("environment"))
    record.environment = environment_from_json(document.at("environment"));
  if (document.contains("published")) {
    record.published = record_of(document.at("published"), published_fields(), "published");
  }
  read_list(record.rows, document, kRows, "", row_from_json);
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
