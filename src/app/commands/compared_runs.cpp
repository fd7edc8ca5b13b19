#include "app/commands/compared_runs.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/commands/stored_series.h"
#include "app/run/run.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "pages/format.h"

namespace gpubench {
namespace {

/// Inserts the earlier runs of `run` as the first candidates, if the store exists. Returns a warning about
/// rows with too few earlier runs.
std::vector<Paragraph> insert_baseline(const std::string& store, const RunRecord& run,
                                       std::vector<Candidate>& candidates) {
  const std::filesystem::path path = store.empty() ? find_store("") : find_existing_store(store);
  std::error_code ignored;
  if (path.empty() || !std::filesystem::exists(path, ignored)) return {};
  try {
    Baseline baseline = load_baseline(*open_indexed(path), run, candidates);
    append(baseline.candidates, std::move(candidates));
    candidates = std::move(baseline.candidates);
    if (baseline.short_histories.empty()) return {};
    return {caution("Too few earlier runs for a verdict: {}.", counted(baseline.short_histories))};
  } catch (const DatabaseError& error) {
    throw Error(ErrorKind::kUsage, "--baseline history: store {}: {}", path.string(), error.what());
  }
}

/// Throws a usage Error for an invalid price or an unknown machine.
Comparison compare_inputs(std::vector<Candidate> candidates, const ComparedInputs& inputs) {
  Comparison comparison = compare(std::move(candidates), inputs.is_forced, inputs.equal_within);
  comparison.price_kwh = inputs.price_kwh;
  for (const std::string& word : inputs.metrics) append(comparison.metrics, find_metrics(word, "--metric"));
  std::erase_if(comparison.metrics, [&](const Metric* metric) {
    return std::ranges::none_of(list_rows(comparison.candidates), [&](const CandidateRow& row) {
      return row.row->estimate(*metric).has_value();
    });
  });
  require(inputs.metrics.empty() || !comparison.metrics.empty(),
          "--metric {}: no case has it; name another one", join(inputs.metrics, ","));
  for (const std::string& price : inputs.prices) {
    const std::size_t sign = price.rfind('=');
    require(sign != std::string::npos, "--price {}: give NAME=AMOUNT, such as laptop=0.50", price);
    const double per_hour = parse_price(price.substr(sign + 1), "--price");
    set_price(comparison.candidates, price.substr(0, sign), per_hour);
  }
  return comparison;
}

}  // namespace

ComparedRuns load_compared(const ComparedInputs& inputs, Selection selection) {
  const std::vector<std::string> files = inputs.all();
  const DocumentKind kind = compared_kind(files);
  const std::pair<bool, const char*> run_options[] = {{inputs.is_forced, "--unlike"},
                                                      {!inputs.prices.empty(), "--price"},
                                                      {inputs.price_kwh.has_value(), "--price-kwh"}};
  for (const auto& [is_given, option] : run_options) {
    require(!is_given || kind == DocumentKind::kRun,
            "{}: is not supported for tables of operations; leave it out", option);
  }
  std::vector<NamedRun> runs = load_runs(files, kind, selection);
  std::vector<Candidate> candidates = candidates_in(runs);
  std::vector<Paragraph> warnings;
  if (inputs.is_of_history()) {
    require(runs.size() == 1, "--baseline history: takes a single result file; name only one, such as {}",
            runs.front().name);
    warnings = insert_baseline(inputs.store, runs.front().run, candidates);
  }
  return {std::move(runs), compare_inputs(std::move(candidates), inputs), std::move(warnings)};
}

}  // namespace gpubench
