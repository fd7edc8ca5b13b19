#include "app/commands/compared_runs.h"

#include <filesystem>
#include <system_error>

#include "app/commands/stored_series.h"
#include "app/run/open_store.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "pages/format.h"

namespace gpubench {
namespace {

/// Inserts the earlier runs of the only run as the first candidates, if the store exists.
void insert_baseline(const std::string& store, ComparedRuns& loaded) {
  const std::filesystem::path path = store.empty() ? find_store("") : find_existing_store(store);
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return;
  try {
    Baseline baseline = load_baseline(*open_indexed(path), loaded.runs.front().run, loaded.candidates);
    loaded.short_histories = std::move(baseline.short_histories);
    loaded.candidates.insert(loaded.candidates.begin(), std::make_move_iterator(baseline.candidates.begin()),
                             std::make_move_iterator(baseline.candidates.end()));
  } catch (const DatabaseError& error) {
    throw Error(ErrorKind::kUsage, "--baseline history: store {}: {}", path.string(), error.what());
  }
}

}  // namespace

ComparedRuns load_compared(const ComparedInputs& inputs, DocumentKind kind, Selection selection) {
  const std::vector<std::string> files = inputs.all();
  ComparedRuns loaded;
  loaded.runs = kind == DocumentKind::kOperations ? load_ops(files, selection) : load_runs(files, selection);
  require(!inputs.is_of_history() || loaded.runs.size() == 1,
          "--baseline history: takes a single result file; name only one, such as {}",
          loaded.runs.front().name);
  loaded.candidates = candidates_in(loaded.runs);
  if (inputs.is_of_history()) insert_baseline(inputs.store, loaded);
  return loaded;
}

std::vector<Paragraph> describe_short_histories(const std::vector<std::string>& histories) {
  if (histories.empty()) return {};
  return {{"Too few earlier runs for a verdict: " + counted(histories) + ".", Tone::kWarning}};
}

}  // namespace gpubench
