#include "pages/run_page.h"

#include <algorithm>
#include <utility>

#include "compare/comparability.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/record/derived.h"
#include "pages/sections.h"

namespace gpubench {
namespace {

/// "Fastest of each model: mlp, batch 128: 12,345 samples/s, 4.36 s an epoch": of each model with its sizes
/// and data the row of most samples a second, or of least time if samples are unknown.
Paragraph best_figures(const std::vector<RowFigures>& timed, const RowNames& names) {
  const auto find_work = [](const RowFigures& row) { return to_work(row.identity).without({"batch_size"}); };
  const auto is_better = [](const RowFigures& a, const RowFigures& b) {
    const Measured<Estimate> rate = compute_throughput(a);
    const Measured<Estimate> other = compute_throughput(b);
    if (rate.has_value() && other.has_value()) return rate.value().value > other.value().value;
    return a.seconds.value().value < b.seconds.value().value;
  };
  std::vector<std::string> parts;
  for (const auto& [work, rows] : grouped(timed, find_work)) {
    const RowFigures& best = *std::ranges::min_element(rows, is_better);
    const Measured<Estimate> rate = compute_throughput(best);
    parts.push_back(
        fmt::format("{}: {}{} an epoch", one_line(names.of(best.identity)),
                    rate.has_value() ? cell_text(rate.value().value, "samples/s", 0) + " samples/s, " : "",
                    prefixed_text(best.seconds.value().value, "s")));
  }
  return {"Fastest of each model: " + counted(std::move(parts)) + "."};
}

/// "Between runs medians are known to ± 0.4 % (mlp, batch 32) to ± 12 % (cnn, batch 128)", or why not.
std::string between_runs(const RunRecord& run, const CaseNames& names) {
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

/// Returns whether the times of a case scatter, or the machine did other work meanwhile.
bool is_disturbed(const CaseRecord& c) {
  constexpr double kLarge = 0.1;  // As a part of the mean, and of the CPU time.
  const Measured<double> spread = epoch_cv(c);
  const auto disturbs = [](const Warning& warning) {
    const std::string& kind = warning.kind;
    const bool is_load = kind == "other-processes" || kind == "hypervisor";
    return kind == "core-wait" || kind == "cpu-quota" || (is_load && warning.figure.value_or(0) > kLarge);
  };
  return (spread.has_value() && spread.value() > kLarge) || std::ranges::any_of(c.warnings, disturbs);
}

/// "Times were steady in 3 of 6 cases, disturbed in 1, still changing in 1, and epochs are too few to tell in
/// 1"
std::string steadiness(const std::vector<CaseRecord>& cases) {
  std::size_t good = 0;
  std::size_t steady = 0;
  std::size_t disturbed = 0;
  std::size_t changing = 0;
  for (const CaseRecord& c : cases) {
    if (c.status != RowStatus::kOk) continue;
    ++good;
    const Measured<bool> is_level = is_steady(c);
    if (is_disturbed(c))
      ++disturbed;
    else if (is_level.has_value())
      ++(is_level.value() ? steady : changing);
  }
  const std::size_t unknown = good - steady - changing - disturbed;
  if (unknown == good) return "Epochs are too few to tell whether times were steady";
  if (steady == good) return "Times were steady";
  std::string text = fmt::format("Times were steady in {} of {}", steady, counted(good, "case"));
  if (disturbed > 0) text += fmt::format(", disturbed in {}", disturbed);
  if (changing > 0) text += fmt::format(", still changing in {}", changing);
  return unknown == 0 ? text : text + fmt::format(", and epochs are too few to tell in {}", unknown);
}

/// Where and how well the run went, the best figures, how much these vary, and cautions: failures, data that
/// is not the official one, warnings. Of a publication its own words come first. `timed` are the rows that
/// have a time.
std::vector<Paragraph> run_summary(const RunRecord& run, const std::vector<RowFigures>& timed) {
  const CaseNames names(run.cases);
  std::vector<Paragraph> summary = publication_cautions(run.published);
  summary.push_back(describe_run(list_devices(run.cases), mapped(run.cases, &CaseRecord::status), "case",
                                 run.plan.suite, run.tool, run.environment));
  if (!timed.empty()) summary.push_back(best_figures(timed, names.rows()));
  if (!timed.empty() && !run.published)
    summary.push_back({fmt::format("{}. {}.", between_runs(run, names), steadiness(run.cases))});
  append(summary, describe_failures(mapped(run.cases, [&](const CaseRecord& c) {
           return std::pair{c.status, names.all(c)};
         })));
  for (const auto& notes : {data_notes(run), warning_notes(run.cases)}) {
    for (const std::string& note : notes) summary.push_back({note, Tone::kWarning});
  }
  return summary;
}

std::vector<RowFigures> timed_rows(const RunRecord& run) {
  std::vector<RowFigures> rows = make_rows(run);
  std::erase_if(rows, [](const RowFigures& row) { return !row.seconds.has_value(); });
  return rows;
}

std::vector<Section> make_sections(const RunRecord& run, const std::vector<RowFigures>& timed,
                                   std::optional<double> price_kwh, bool has_summary) {
  std::vector<Section> sections;
  add_cases(sections, run, has_summary);
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
  const auto good = std::ranges::count(run.cases, RowStatus::kOk, &CaseRecord::status);
  const auto number = [](std::size_t count) { return with_separators(static_cast<std::int64_t>(count)); };
  return fmt::format(
      "of {} cases, {} of which ended well, only the first {} are told of here; 'gpubench show' with "
      "--format csv or tsv has all",
      number(run.cases.size()), number(static_cast<std::size_t>(good)), number(kMostCasesShown));
}

Page run_page(const RunRecord& run, const std::string& name, std::optional<double> price_kwh) {
  if (const auto part = make_beginning(run)) {
    Page page = run_page(*part, name, price_kwh);
    page.summary.insert(page.summary.begin(), caution("Note: {}.", left_out_text(run)));
    return page;
  }
  const std::vector<RowFigures> timed = timed_rows(run);
  return {name, run_summary(run, timed), make_sections(run, timed, price_kwh, true), {}};
}

/// Rows of processes, each with the figures over all processes of its case.
Table run_data(const RunRecord& run, const std::string& name) {
  Table table = record_data(case_fields(), run.cases, name);
  table.columns.push_back({"processes", "", true});
  table.columns.push_back({kBetweenRuns, "", true});
  for (const CaseSummary& row : aggregate_repeats(run)) {
    for (const CaseRecord* c : row.all) {
      std::vector<Cell>& cells = table.rows[static_cast<std::size_t>(c - run.cases.data())];
      cells.push_back(to_cell(row.is_ok() ? row.told.size() : 0));
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
  std::vector<Section> sections = make_sections(run, timed_rows(run), price_kwh, false);
  for (Section& section : sections) section.title = name + ": " + section.title;
  return sections;
}

Section environments_section(const std::vector<NamedRun>& runs) {
  return environments_section(mapped(runs, [](const NamedRun& run) {
    return Surroundings{run.name, &run.run.tool, &run.run.environment};
  }));
}

}  // namespace gpubench
