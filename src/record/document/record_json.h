#pragma once
// Records as JSON and back, for result files, the store and the pipe of a child process.
//
// Writing adds derived values to raw ones and leaves out empty optional fields. Reading ignores unknown keys,
// takes defaults for missing ones, and throws a data Error that names a key of wrong type:
// "results[3].asked.batch_size: expected a number". Writing and reading keep raw values, NaN included.

#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "gpubench/record/environment.h"
#include "gpubench/record/machine_records.h"
#include "gpubench/record/run_record.h"
#include "record/document/json.h"

namespace gpubench {

/// Version of documents.
inline constexpr std::int64_t kSchemaVersion = 1;

/// Kinds of documents, by the workloads of their results.
enum class DocumentKind { kRun, kOperations, kPeak, kSelftest };
inline constexpr std::array kDocumentKindNames{"a run", "a table of operations", "a peak measurement",
                                               "a selftest"};
constexpr EnumNames<DocumentKind> enum_names(DocumentKind) { return {"document", kDocumentKindNames}; }

/// Returns the kind of a document. Throws a data Error for another version, unknown workload or mixed kinds.
DocumentKind document_kind(const Json& document);

Json to_json(const DeviceRecord& device);
Json to_json(const Environment& environment);  ///< With devices, datasets and their files.

// Return rows without derived figures, which readers ignore.
Json raw_json(const CaseRecord& record);
Json raw_json(const OpRecord& row);
Json raw_json(const Result& row);

/// Reads a row of raw_json(). Throws a data Error for other workloads.
Result result_from_json(const Json& object);

// For `json.get<CaseRecord>()`.
void from_json(const Json& object, CaseRecord& record);
void from_json(const Json& object, DeviceRecord& device);
void from_json(const Json& object, Environment& environment);

// Return the document without its checksum; see sealed().
Json run_to_json(const RunRecord& run);  ///< Trainings or operations.
Json peak_to_json(const PeakRecord& peak);
Json selftest_to_json(const SelftestRecord& selftest);

// Read a document without comparing its checksum. Throw a data Error for another kind or version.
RunRecord run_from_json(const Json& document);      ///< Trainings.
RunRecord ops_from_json(const Json& document);      ///< Operations.
RunRecord any_run_from_json(const Json& document);  ///< Trainings or operations.
PeakRecord peak_from_json(const Json& document);
SelftestRecord selftest_from_json(const Json& document);

// Return the text of the result file, checksum included.
std::string run_document(const RunRecord& run);
std::string peak_document(const PeakRecord& peak);
std::string selftest_document(const SelftestRecord& selftest);

/// Reads a run from a file. Throws a data Error with the path and the key of the fault.
RunRecord read_run_file(const std::filesystem::path& path);

/// Returns the faults of `document`, each with its place: unknown keys, invalid values, contradictions to the
/// status, derived values with a relative error above 1e-9, and a wrong checksum.
std::vector<std::string> document_faults(const Json& document);

}  // namespace gpubench
