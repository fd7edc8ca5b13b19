#include "app/commands/compared_runs.h"

#include <filesystem>
#include <system_error>

#include "app/commands/stored_series.h"
#include "app/run/open_store.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "history/past.h"
#include "pages/format.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// Adds the noise of each candidate's history or, with `--baseline history`, the earlier runs as the first
/// candidates.
void add_past(const Store& store, const ComparedInputs& inputs, ComparedRuns& loaded,
              std::vector<std::vector<Candidate>>& candidates) {
  if (!inputs.is_of_history()) return add_noise(store, loaded.runs, candidates);
  Past past = load_past(store, loaded.runs.front().run, candidates.front());
  loaded.short_histories = std::move(past.short_histories);
  candidates.insert(candidates.begin(), std::move(past.candidates));
}

/// Calls add_past() if the store exists and can be read.
void add_past_if_known(const ComparedInputs& inputs, ComparedRuns& loaded,
                       std::vector<std::vector<Candidate>>& candidates) {
  if (inputs.has_no_store) return;
  const fs::path path = inputs.store.empty() ? find_store("") : find_existing_store(inputs.store);
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return;
  try {
    add_past(*open_indexed(path), inputs, loaded, candidates);
  } catch (const DatabaseError& error) {
    if (inputs.is_of_history())
      throw Error(ErrorKind::kUsage, "--baseline history: store {}: {}", path.string(), error.what());
    log_info("store {}: {}; comparing without earlier runs", path.string(), error.what());
  }
}

}  // namespace

ComparedRuns load_compared(const ComparedInputs& inputs, DocumentKind kind, Selection selection) {
  require(!inputs.is_of_history() || !inputs.has_no_store,
          "--baseline history: needs the store; leave --no-store out");
  const std::vector<std::string> files = inputs.all();
  ComparedRuns loaded;
  loaded.runs = kind == DocumentKind::kOperations ? load_ops(files, selection) : load_runs(files, selection);
  require(!inputs.is_of_history() || loaded.runs.size() == 1,
          "--baseline history: takes a single result file; name only one, such as {}",
          loaded.runs.front().name);
  std::vector<std::vector<Candidate>> candidates =
      mapped(loaded.runs, [](const NamedRun& run) { return make_candidates(run.run, run.name); });
  add_past_if_known(inputs, loaded, candidates);
  for (std::vector<Candidate>& of_run : candidates) append(loaded.candidates, std::move(of_run));
  return loaded;
}

std::vector<Paragraph> describe_short_histories(const std::vector<std::string>& histories) {
  if (histories.empty()) return {};
  return {{"Too few earlier runs for a verdict: " + counted(histories) + ".", Tone::kWarning}};
}

}  // namespace gpubench
