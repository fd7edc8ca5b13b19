#include "app/commands/compared_sides.h"

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

/// Adds what `store` knows of the candidates of each run, and puts earlier runs before them if these are the
/// baseline.
void add_past(const Store& store, const ComparedInputs& inputs, ComparedSides& sides,
              std::vector<std::vector<Candidate>>& candidates) {
  if (!inputs.is_of_history()) return add_noise(store, sides.runs, candidates);
  Past past = load_past(store, sides.runs.front().run, candidates.front());
  sides.lacking = std::move(past.lacking);
  candidates.insert(candidates.begin(), std::move(past.candidates));
}

void add_known_past(const ComparedInputs& inputs, ComparedSides& sides,
                    std::vector<std::vector<Candidate>>& candidates) {
  if (inputs.has_no_store) return;
  const fs::path path = inputs.store.empty() ? find_store("") : find_existing_store(inputs.store);
  std::error_code ignored;
  if (path.empty() || !fs::exists(path, ignored)) return;
  try {
    add_past(*open_indexed(path), inputs, sides, candidates);
  } catch (const DatabaseError& error) {
    if (inputs.is_of_history())
      throw Error(ErrorKind::kUsage, "--baseline history: store {}: {}", path.string(), error.what());
    log_info("store {}: {}; compared without earlier runs", path.string(), error.what());
  }
}

}  // namespace

ComparedSides load_sides(const ComparedInputs& inputs, DocumentKind kind, Selection selection) {
  require(!inputs.is_of_history() || !inputs.has_no_store,
          "--baseline history: is in the store; leave --no-store out");
  const std::vector<std::string> files = inputs.all();
  ComparedSides sides;
  sides.runs = kind == DocumentKind::kOperations ? load_ops(files, selection) : load_runs(files, selection);
  require(!inputs.is_of_history() || sides.runs.size() == 1,
          "--baseline history: takes one result file; name {} alone", sides.runs.front().name);
  std::vector<std::vector<Candidate>> candidates =
      mapped(sides.runs, [](const NamedRun& run) { return make_candidates(run.run, run.name); });
  add_known_past(inputs, sides, candidates);
  for (std::vector<Candidate>& of_run : candidates) append(sides.candidates, std::move(of_run));
  return sides;
}

std::vector<Paragraph> describe_lacking(const std::vector<std::string>& lacking) {
  if (lacking.empty()) return {};
  return {{"Too few earlier runs for a verdict: " + counted(lacking) + ".", Tone::kWarning}};
}

}  // namespace gpubench
