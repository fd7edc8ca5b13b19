#pragma once
// Contents of a store, also while gpubench writes to it.

#include <cstddef>
#include <filesystem>

namespace gpubench::test {

/// Numbers of rows and epochs of all runs in a store.
struct StoredCounts {
  std::size_t rows = 0;
  std::size_t begun = 0;   ///< Started rows.
  std::size_t ended = 0;   ///< Rows that ended with any status.
  std::size_t epochs = 0;  ///< Epochs of rows that have started but not ended.
};

/// Counts rows and epochs. Returns zeros if the store does not exist yet.
StoredCounts count_stored(const std::filesystem::path& store);

/// Copies machine facts that are missing or different in `to`. Creates `to` if necessary. Ignores failures,
/// which only cost another trial.
void copy_facts(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace gpubench::test
