#include <algorithm>

#include <fmt/format.h>

#include "compare/ops_contest.h"
#include "compare/ops_duel_tables.h"
#include "compare/words.h"
#include "gpubench/compare/run_page.h"
#include "gpubench/core/error.h"
#include "report/figure_text.h"

namespace gpubench {
namespace {

std::string title_of(const OpsContest& contest, const OpsDuel& duel) {
  return contest.other_of(duel).label + " against " + contest.base_of(duel).label;
}

bool is_clear(const OpPair& pair, bool is_faster) {
  const Reading<Estimate>& ratio = pair.ratio;
  return ratio.has_value() && is_distinct_from_one(ratio.value()) && (ratio.value().value > 1) == is_faster;
}

/// "B (...) is 3.21 times as fast as A (...) over 61 rows ..."
Paragraph answer_of(const OpsContest& contest, const OpsDuel& duel) {
  const std::string who = description_of(contest.other_of(duel));
  const std::string baseline = description_of(contest.base_of(duel));
  const std::vector<OpsAverage> averages = averages_of(duel);
  if (averages.empty()) return {who + " has no row in common with " + baseline + ".", Tone::kWarning};
  const OpsAverage& all = averages.back();
  const std::string interval = interval_text(all.ratio.interval);
  const auto faster =
      std::count_if(duel.pairs.begin(), duel.pairs.end(), [](const OpPair& p) { return is_clear(p, true); });
  const auto slower =
      std::count_if(duel.pairs.begin(), duel.pairs.end(), [](const OpPair& p) { return is_clear(p, false); });
  return {fmt::format("{} is {} times as fast as {} over {} (geometric mean{}): faster in {}, slower in {}.",
                      who, figure_text(all.ratio.value), baseline, counted(all.pairs, "row"),
                      interval.empty() ? "" : "; " + interval, faster, slower)};
}

std::vector<Paragraph> summary_of(const OpsContest& contest) {
  std::vector<Paragraph> summary;
  for (const OpsDuel& duel : contest.duels) summary.push_back(answer_of(contest, duel));
  std::vector<std::string> said;
  for (const OpsDuel& duel : contest.duels) {
    for (const std::string& sentence : ops_differences(contest, duel)) {
      if (std::find(said.begin(), said.end(), sentence) != said.end()) continue;
      said.push_back(sentence);
      summary.push_back({sentence, Tone::kWarning});
    }
  }
  return summary;
}

std::vector<Section> sections_of(const OpsContest& contest, const OpsDuel& duel) {
  std::vector<Section> sections;
  const std::string title = title_of(contest, duel);
  if (Table table = op_average_table(duel); !table.rows.empty()) {
    sections.push_back({title + ", by operation", {std::move(table)}});
    if (Chart chart = op_average_chart(duel); chart.series.front().points.size() > 1)
      sections.back().blocks.emplace_back(std::move(chart));
    sections.push_back({title + ", row by row", {op_pair_table(contest, duel)}});
  }
  if (Table table = op_unpaired_table(contest, duel); !table.rows.empty())
    sections.push_back({title + ", not compared", {std::move(table)}});
  return sections;
}

/// Of what was measured: a publication has no environment.
std::vector<NamedRun> environments_of(std::span<const NamedOps> tables) {
  std::vector<NamedRun> runs;
  for (const NamedOps& table : tables) {
    if (table.ops.published) continue;
    RunRecord run;
    run.tool = table.ops.tool;
    run.environment = table.ops.environment;
    runs.push_back({table.name, std::move(run)});
  }
  return runs;
}

void require_common_row(const OpsContest& contest) {
  if (contest.duels.empty()) {
    throw Error(ErrorKind::kUsage,
                "compare: only one device is in these tables of operations; name a second file, or "
                "published:m3-max/mps");
  }
  const auto has_common = [](const OpsDuel& duel) {
    return std::any_of(duel.pairs.begin(), duel.pairs.end(),
                       [](const OpPair& pair) { return pair.base != nullptr && pair.other != nullptr; });
  };
  if (std::any_of(contest.duels.begin(), contest.duels.end(), has_common)) return;
  throw Error(
      ErrorKind::kUsage,
      "compare: these tables of operations have no row in common; measure the same operations, sizes, "
      "types, directions and caches");
}

}  // namespace

Page ops_comparison_page(std::span<const NamedOps> tables) {
  const OpsContest contest = contest_of(tables);
  require_common_row(contest);
  Page page{"Operations compared", summary_of(contest), {}, ops_comparison_data(contest)};
  for (const OpsDuel& duel : contest.duels) {
    for (Section& section : sections_of(contest, duel)) page.sections.push_back(std::move(section));
  }
  const std::vector<NamedRun> runs = environments_of(tables);
  if (!runs.empty()) page.sections.push_back(environments_section(runs));
  return page;
}

}  // namespace gpubench
