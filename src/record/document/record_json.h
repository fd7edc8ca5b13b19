#pragma once
// Records as JSON and back, through the field tables: the result file, the journal of a run and the pipe of a
// child process all carry the same objects.
//
// Writing keeps every raw value and adds the derived ones. Reading ignores keys that it does not know (they
// are derived, or a later gpubench added them), leaves the default where a key is missing (an earlier one did
// not have it yet), and throws a data Error that names the key where a value has the wrong type, e.g.
// "cases[3].batch_size: a number is expected". Hence from_json(to_json(record)) is the same raw record, NaN
// included. Text that is not UTF-8 must be dumped with `error_handler_t::replace`; see json_text.
//
// Stateless, hence safe to call from several threads.

#include <filesystem>
#include <string>

#include "gpubench/record/environment.h"
#include "gpubench/record/ops_record.h"
#include "gpubench/record/run_record.h"
#include "gpubench/record/selftest_record.h"
#include "record/document/json.h"

namespace gpubench {

/// Results that gpubench writes.
enum class DocumentKind { kRun, kOperations, kPeak, kSelftest };

/// Returns the kind by the list of rows in `document`; a run where there is no known one.
DocumentKind document_kind(const Json& document);

/// "a run", "a table of operations", "a peak measurement", "a selftest".
std::string words_for(DocumentKind kind);

/// Returns the schema version that is written and read.
std::int64_t find_schema_version(DocumentKind kind);

Json to_json(const CaseRecord& record);
Json to_json(const ToolRecord& tool);
Json to_json(const PlanRecord& plan);
Json to_json(const DeviceRecord& device);
Json to_json(const Environment& environment);  ///< With devices, datasets and their files.
Json to_json(const OpRecord& row);
Json to_json(const OpsSettings& settings);

// Rows without their derived figures, which readers ignore.
Json raw_json(const CaseRecord& record);
Json raw_json(const OpRecord& row);

// For `json.get<PlanRecord>()`.
void from_json(const Json& object, CaseRecord& record);
void from_json(const Json& object, ToolRecord& tool);
void from_json(const Json& object, PlanRecord& plan);
void from_json(const Json& object, DeviceRecord& device);
void from_json(const Json& object, Environment& environment);
void from_json(const Json& object, OpRecord& row);
void from_json(const Json& object, OpsSettings& settings);

/// The document of the result file, of the present version, without its checksum; see sealed().
Json run_to_json(const RunRecord& record);

/// Returns the run in a result file. Throws a data Error for another schema version, with what to do about
/// it. Takes the checksum on trust; see document_check.h.
RunRecord run_from_json(const Json& document);

/// The text of the result file, checksum included.
std::string run_document(const RunRecord& run);

/// The same of the file at `path`, whoever wrote it. Throws a data Error that names the file, and the key
/// where there is one, for a file that cannot be read, is not what it should be, or is larger or nested
/// deeper than document_file.h allows. The checksum is not compared; see document_check.h.
RunRecord read_run_file(const std::filesystem::path& path);

// The same of tables of operations.

Json ops_to_json(const OpsRecord& record);
OpsRecord ops_from_json(const Json& document);
std::string ops_document(const OpsRecord& record);
OpsRecord read_ops_file(const std::filesystem::path& path);

// The same of selftests, without a reader of files.

SelftestRecord selftest_from_json(const Json& document);
std::string selftest_document(const SelftestRecord& record);

}  // namespace gpubench
