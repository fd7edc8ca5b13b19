#pragma once
// A store as tests see it, also while gpubench writes to it.

#include <cstddef>
#include <filesystem>

namespace gpubench::test {

/// Rows and epochs of all runs in a store.
struct StoredCounts {
  std::size_t rows = 0;
  std::size_t begun = 0;   ///< Rows.
  std::size_t ended = 0;   ///< Rows, with any status.
  std::size_t epochs = 0;  ///< Of rows that have begun and not ended.
};

/// Returns zeros while there is no store.
StoredCounts count_stored(const std::filesystem::path& store);

/// Copies facts about this machine that `to` lacks, or has with another text. Makes `to` if it is missing and
/// there is a fact. Ignores failures, which cost no more than another trial.
void copy_facts(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gpubench::test
