// Database files of stores: opened, and each run loaded, written and read again. The inputs have pages of 512
// bytes and no write-ahead log, which would be a second file.

#include "store/store.h"

#include "fuzz/documents.h"
#include "fuzz/pieces.h"

namespace gpubench::fuzz {
namespace {

/// Errors of the database are usage errors.
template <class Read>
void accept(Read read) {
  accepts({ErrorKind::kUsage, ErrorKind::kData}, read);
}

/// Converts the run first, because a damaged file may combine a training plan with operation rows.
void check(const RunRecord& run) {
  require_same_again(any_run_from_json(run_to_json(run)), run_document, any_run_from_json);
}

void read(std::string_view input) {
  const Folder folder;
  const std::filesystem::path path = folder.file("input.sqlite", input);
  accept([&] {
    const Store store(path, Database::Access::kRead);
    store.check();
    store.unfinished_runs();
    for (const StoredRun& run : store.runs()) accept([&] { check(store.load_run(run.id)); });
  });
}

}  // namespace

Target entry_store() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
