#include "pages/run_page.h"

#include <algorithm>
#include <map>
#include <utility>

#include "compare/comparability.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "pages/environment.h"
#include "pages/format.h"
#include "pages/record_table.h"
#include "pages/run_sections.h"

namespace gpubench {
namespace {

std::size_t count_of_good(const std::vector<CaseRecord>& cases) {
  return static_cast<std::size_t>(std::ranges::count(cases, RowStatus::kOk, &CaseRecord::status));
}

std::string outcome_text(const std::vector<CaseRecord>& cases) {
  const std::size_t good = count_of_good(cases);
  if (cases.size() == 1) return good == 1 ? "Its one case ended well" : "Its one case did not end well";
  if (good == cases.size()) return fmt::format("All {} cases ended well", good);
  return fmt::format("{} of {} cases ended well", good, cases.size());
}

Paragraph what_was_run(const RunRecord& run) {
  if (run.cases.empty()) return caution("The file has no case: nothing was measured, or nothing yet.");
  const std::string where = whereabouts(list_devices(run.cases), run.plan.suite, run.tool, run.environment);
  return {fmt::format("{} {}.", where, outcome_text(run.cases))};
}

/// Of two rows of a kind the one of more samples a second, or, where samples are not told, of less time.
bool is_better(const RowFigures& a, const RowFigures& b) {
  const Measured<Estimate> rate = compute_throughput(a);
  const Measured<Estimate> other = compute_throughput(b);
  if (rate.has_value() && other.has_value()) return rate.value().value > other.value().value;
  return a.seconds.value().value < b.seconds.value().value;
}

/// ", 4.36 s an epoch (4.10 s to 4.61 s in its process)": the epochs after the warm-up of all processes.
std::string spread_text(const RowFigures& row, const std::vector<CaseRecord>& cases) {
  std::vector<double> epochs;
  for (const CaseRecord& c : cases) {
    if (c.status == RowStatus::kOk && make_identity(c) == row.identity) append(epochs, steady_epochs(c));
  }
  const std::string median = prefixed_text(row.seconds.value().value, "s") + " an epoch";
  if (epochs.size() < 2) return median;
  const auto [shortest, longest] = std::ranges::minmax(epochs);
  return fmt::format("{} ({} to {} in {})", median, prefixed_text(shortest, "s"), prefixed_text(longest, "s"),
                     row.processes == 1 ? "its process" : fmt::format("{} processes", row.processes));
}

/// Of each model with its sizes and data.
Paragraph best_figures(const std::vector<RowFigures>& timed, const std::vector<CaseRecord>& cases) {
  const RowNames names(make_identities(cases));
  std::vector<std::string> parts;
  const auto detect_kind = [](const RowFigures& row) {
    return to_work(row.identity).without({"batch_size"});
  };
  for (const auto& [kind, rows] : grouped(timed, detect_kind)) {
    const RowFigures& best = *std::ranges::min_element(rows, is_better);
    const Measured<Estimate> rate = compute_throughput(best);
    const std::string figure =
        rate.has_value() ? cell_text(rate.value().value, "samples/s", 0) + " samples/s, " : "";
    parts.push_back(one_line(names.of(best.identity)) + ": " + figure + spread_text(best, cases));
  }
  return {"Fastest of each model: " + counted(std::move(parts)) + "."};
}

/// "Between runs medians are known to ± 0.4 % (mlp, batch 32) to ± 12 % (cnn, batch 128)", or what would
/// tell.
std::string between_runs(const RunRecord& run) {
  const CaseNames names(run.cases);
  std::vector<std::pair<double, std::string>> known;
  std::vector<std::string> unknown;
  for (const CaseSummary& row : aggregate_repeats(run)) {
    if (row.between_runs.has_value())
      known.emplace_back(row.between_runs.value(), names.all(*row.all.front()));
    else if (row.is_ok())
      unknown.push_back(row.between_runs.reason());
  }
  if (known.empty()) return "How much runs differ is not known: " + unknown.front();
  const auto [best, worst] = std::minmax_element(known.begin(), known.end());
  std::string text =
      fmt::format("Between runs medians are known to ± {} ({})", percent_text(best->first), best->second);
  if (known.size() > 1) text += fmt::format(" to ± {} ({})", percent_text(worst->first), worst->second);
  if (unknown.empty()) return text;
  return fmt::format("{}; of {} more that is not known", text, counted(unknown.size(), "case"));
}

/// From here on, as parts of the mean and of the CPU time, times are not called steady.
constexpr double kLargeSpread = 0.1;
constexpr double kLargeLoad = 0.1;

double compute_load(const CaseRecord& c) {
  double load = 0;
  for (const Warning& warning : c.warnings) {
    if (warning.kind == "other-processes" || warning.kind == "hypervisor")
      load = std::max(load, warning.figure.value_or(0));
  }
  return load;
}

bool is_disturbed(const CaseRecord& c) {
  const Measured<double> spread = epoch_cv(c);
  const auto stops = [](const Warning& warning) {
    return warning.kind == "core-wait" || warning.kind == "cpu-quota";
  };
  return (spread.has_value() && spread.value() > kLargeSpread) || compute_load(c) > kLargeLoad ||
         std::ranges::any_of(c.warnings, stops);
}

/// " (sd up to 38 %, other work up to 83 % of the CPU time)"
std::string disturbance(const std::vector<const CaseRecord*>& disturbed) {
  double spread = 0;
  double load = 0;
  for (const CaseRecord* c : disturbed) {
    const Measured<double> own = epoch_cv(*c);
    spread = std::max(spread, own.has_value() ? own.value() : 0);
    load = std::max(load, compute_load(*c));
  }
  std::vector<std::string> parts;
  if (spread > kLargeSpread) parts.push_back("sd up to " + percent_text(spread));
  if (load > kLargeLoad) parts.push_back("other work up to " + percent_text(load) + " of the CPU time");
  return parts.empty() ? "" : " (" + join(parts) + ")";
}

/// "Times were steady in 3 of 6 cases, disturbed in 1 (other work up to 83 % of the CPU time), still
/// changing in 1, and epochs are too few to tell in 1"
std::string steadiness(const std::vector<CaseRecord>& cases) {
  std::size_t steady = 0;
  std::size_t changing = 0;
  std::vector<const CaseRecord*> disturbed;
  for (const CaseRecord& c : cases) {
    const Measured<bool> is_level = is_steady(c);
    if (c.status != RowStatus::kOk) continue;
    if (is_disturbed(c))
      disturbed.push_back(&c);
    else if (is_level.has_value())
      ++(is_level.value() ? steady : changing);
  }
  const std::size_t good = count_of_good(cases);
  const std::size_t unknown = good - steady - changing - disturbed.size();
  if (unknown == good) return "Epochs are too few to tell whether times were steady";
  if (steady == good) return "Times were steady";
  std::string text = fmt::format("Times were steady in {} of {}", steady, counted(good, "case"));
  if (!disturbed.empty())
    text += fmt::format(", disturbed in {}{}", disturbed.size(), disturbance(disturbed));
  if (changing > 0) text += fmt::format(", still changing in {}", changing);
  return unknown == 0 ? text : text + fmt::format(", and epochs are too few to tell in {}", unknown);
}

/// Failures by status, since what is out of memory is another matter than what crashed.
void add_failures(std::vector<Paragraph>& cautions, const std::vector<CaseRecord>& cases) {
  const CaseNames names(cases);
  std::map<RowStatus, std::vector<std::string>> failed;
  for (const CaseRecord& c : cases) {
    // Repeats fail together mostly.
    if (c.status != RowStatus::kOk) add_once(failed[c.status], names.all(c));
  }
  if (failed.empty()) return;
  const auto to_text = [](const auto& one) { return to_string(one.first) + ": " + counted(one.second); };
  cautions.push_back({"Not ok: " + join(mapped(failed, to_text), ". ") + ".", Tone::kBad});
}

void add_data(std::vector<Paragraph>& cautions, const RunRecord& run) {
  std::vector<std::string> synthetic;
  std::vector<std::string> noted;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (std::ranges::find(run.cases, dataset.name, &CaseRecord::dataset) == run.cases.end()) continue;
    const std::string name = one_line(dataset.name);
    if (dataset.is_synthetic)
      synthetic.push_back(name);
    else if (!dataset.note.empty())
      noted.push_back(name);
  }
  if (!synthetic.empty()) {
    cautions.push_back(
        caution("Synthetic data stood in for {}: times hold, accuracy means nothing.", join(synthetic)));
  }
  if (!noted.empty())
    cautions.push_back(caution("Data to mind: {}; see the notes on it below.", join(noted)));
}

/// What was run where and how much of it ended well, the best figures, how much these vary, and what to mind:
/// failures, data that is not the official one, warnings. Of a publication its own words come first.
/// `timed` are the rows that have a time.
std::vector<Paragraph> run_summary(const RunRecord& run, const std::vector<RowFigures>& timed) {
  std::vector<Paragraph> summary = publication_cautions(run.published);
  summary.push_back(what_was_run(run));
  if (!timed.empty()) summary.push_back(best_figures(timed, run.cases));
  if (!timed.empty() && !run.published)
    summary.push_back({fmt::format("{}. {}.", between_runs(run), steadiness(run.cases))});
  add_failures(summary, run.cases);
  add_data(summary, run);
  for (std::string& note : warning_notes(run.cases)) summary.push_back({std::move(note), Tone::kWarning});
  return summary;
}

std::vector<RowFigures> timed_rows(const RunRecord& run) {
  std::vector<RowFigures> rows = make_rows(run);
  std::erase_if(rows, [](const RowFigures& row) { return !row.seconds.has_value(); });
  return rows;
}

std::vector<Section> make_sections(const RunRecord& run, const std::vector<RowFigures>& timed,
                                   std::optional<double> price_kwh, SummaryPlacement summary) {
  std::vector<Section> sections;
  add_cases(sections, run, summary);
  add_energy(sections, run, price_kwh);
  add_charts(sections, run, timed);
  add_ranks(sections, run);
  add_environment(sections, run.tool, run.environment, run.published.has_value());
  return sections;
}

}  // namespace

std::optional<RunRecord> make_beginning(const RunRecord& run) {
  if (run.cases.size() <= kMostCasesShown) return std::nullopt;
  RunRecord part{run.tool, run.plan, run.environment, {}, run.published};
  const auto end = run.cases.begin() + kMostCasesShown;
  part.cases.assign(run.cases.begin(), end);
  if (part.published)
    part.published->figures.resize(std::min(kMostCasesShown, part.published->figures.size()));
  return part;
}

std::string left_out_text(const RunRecord& run) {
  const auto number = [](std::size_t count) { return with_separators(static_cast<std::int64_t>(count)); };
  return fmt::format(
      "of {} cases, {} of which ended well, only the first {} are told of here; 'gpubench show' with "
      "--format "
      "csv or tsv has all",
      number(run.cases.size()), number(count_of_good(run.cases)), number(kMostCasesShown));
}

Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh) {
  if (const auto part = make_beginning(run)) {
    Page page = run_page(*part, name, price_kwh);
    page.summary.insert(page.summary.begin(), caution("Note: {}.", left_out_text(run)));
    return page;
  }
  const std::vector<RowFigures> timed = timed_rows(run);
  return {
      name, run_summary(run, timed), make_sections(run, timed, price_kwh, SummaryPlacement::kSummary), {}};
}

/// Rows of processes, each with what is known over those of its case.
Table run_data(const RunRecord& run, const std::string& name) {
  Table table = record_data(case_fields(), run.cases, name);
  table.columns.push_back({"processes", "", true});
  table.columns.push_back({kBetweenRuns, "", true});
  for (const CaseSummary& row : aggregate_repeats(run)) {
    for (const CaseRecord* c : row.all) {
      std::vector<Cell>& cells = table.rows[static_cast<std::size_t>(c - run.cases.data())];
      cells.push_back(count_cell(row.is_ok() ? row.told.size() : 0));
      cells.push_back(
          data_cell(row.between_runs.has_value() ? FieldValue(row.between_runs.value()) : Missing{}));
    }
  }
  return table;
}

std::vector<Section> run_sections(const RunRecord& run, const std::string& name,
                                  std::optional<double> price_kwh) {
  if (const auto part = make_beginning(run)) {
    std::vector<Section> sections = run_sections(*part, name, price_kwh);
    sections.front().blocks.insert(sections.front().blocks.begin(), caution("Note: {}.", left_out_text(run)));
    return sections;
  }
  std::vector<Section> sections = make_sections(run, timed_rows(run), price_kwh, SummaryPlacement::kNothing);
  for (Section& section : sections) section.title = name + ": " + section.title;
  return sections;
}

Section environments_section(const std::vector<NamedRun>& runs) {
  return environments_section(mapped(runs, [](const NamedRun& run) {
    return Surroundings{run.name, &run.run.tool, &run.run.environment};
  }));
}

}  // namespace gpubench
