#pragma once
// Documents of operations: results/schema/ops-v2.schema.json. As run_file.h and record_json.h have those of
// runs, with the same rules for keys that are missing or unknown.
//
// Stateless, hence safe to call from several threads.

#include <filesystem>
#include <string>

#include "gpubench/record/ops_record.h"
#include "record/document/record_json.h"

namespace gpubench {

/// Whether `document` is one of operations, rather than of a run or a peak.
bool is_ops_document(const Json& document);

// Parts of the document; `where` is put before the key in messages.
Json to_json(const OpRecord& row);
Json to_json(const OpsSettings& settings);
OpRecord op_from_json(const Json& object, const std::string& where = "operation");
OpsSettings ops_settings_from_json(const Json& object, const std::string& where = "settings");

/// Without its checksum; see content_hash.h.
Json ops_to_json(const OpsRecord& record);

/// Throws a data Error that names the key where a value has the wrong type, and for another version.
OpsRecord ops_from_json(const Json& document);

/// The text of the file, checksum included.
std::string ops_document(const OpsRecord& record);

/// The table in the file at `path`. Throws a data Error that names the file and the key.
OpsRecord read_ops_file(const std::filesystem::path& path);

}  // namespace gpubench
