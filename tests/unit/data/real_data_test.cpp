// Tests with the real data in GPUBENCH_DATA_DIR. They do nothing if the variable is unset.

#include <cstdlib>

#include "data/fetch/fetch.h"
#include "files.h"
#include "gpubench/dataset.h"

namespace gpubench::test::real_data_test {
namespace {

/// Returns true if `entry` is present; prints a warning otherwise.
bool is_available(const DatasetEntry& entry) {
  if (std::getenv("GPUBENCH_DATA_DIR") == nullptr) {
    WARN("skipped: GPUBENCH_DATA_DIR is not set");
    return false;
  }
  if (entry.is_present(data_directory("") / entry.folder)) return true;
  WARN("skipped: no " + entry.name + " in " + data_directory("").string());
  return false;
}

TEST_CASE("every dataset in GPUBENCH_DATA_DIR loads, and official ones have the official sizes") {
  for (const DatasetEntry& entry : datasets()) {
    if (!is_available(entry)) continue;
    const Dataset dataset = entry.load(data_directory("") / entry.folder, entry.spec);
    CHECK(dataset.spec == entry.spec);
    CHECK(dataset.record.note.empty() == is_official(dataset.record));
    if (!is_official(dataset.record)) continue;
    CHECK(dataset.train.size() == entry.sizes.train);
    CHECK(dataset.validation.size() == entry.sizes.validation);
    CHECK(dataset.test.size() == entry.sizes.test);
  }
}

TEST_CASE("the official texts of WikiText-2 have the published numbers of tokens") {
  const DatasetEntry& entry = *datasets().find("wikitext2-valid");
  if (!is_available(entry)) return;
  const Dataset dataset = entry.load(data_directory("") / entry.folder, entry.spec);
  CHECK(is_official(dataset.record));
  CHECK(dataset.train.size() == 217'646);
  CHECK(dataset.test.size() == 245'569);
}

}  // namespace
}  // namespace gpubench::test::real_data_test
