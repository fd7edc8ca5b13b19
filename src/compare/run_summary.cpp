#include "compare/run_summary.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/case_figures.h"
#include "compare/case_names.h"
#include "compare/field_words.h"
#include "compare/run_cautions.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text_table.h"
#include "gpubench/record/derived.h"
#include "report/figure_text.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// "cpu (Processor 9000)" for each device that cases name.
std::string devices_text(const RunRecord& run) {
  std::vector<std::string> devices;
  for (const CaseRecord& c : run.cases) {
    const auto known = std::find_if(run.environment.devices.begin(), run.environment.devices.end(),
                                    [&](const DeviceRecord& device) { return device.name == c.device; });
    const bool has_model = known != run.environment.devices.end() && known->model != c.device;
    const std::string text = c.device + (has_model ? " (" + known->model + ")" : "");
    if (std::find(devices.begin(), devices.end(), text) == devices.end()) devices.push_back(text);
  }
  return one_line(join(devices));
}

std::size_t count_of_good(const std::vector<CaseRecord>& cases) {
  const auto is_good = [](const CaseRecord& c) { return c.status == CaseStatus::kOk; };
  return static_cast<std::size_t>(std::count_if(cases.begin(), cases.end(), is_good));
}

std::string outcome_text(const std::vector<CaseRecord>& cases) {
  const std::size_t good = count_of_good(cases);
  if (cases.size() == 1) return good == 1 ? "Its one case ended well" : "Its one case did not end well";
  if (good == cases.size()) return fmt::format("All {} cases ended well", good);
  return fmt::format("{} of {} cases ended well", good, cases.size());
}

Paragraph what_was_run(const RunRecord& run) {
  if (run.cases.empty())
    return {"The file has no case: nothing was measured, or nothing yet.", Tone::kWarning};
  const std::string host = run.environment.host.empty() ? "" : " of " + one_line(run.environment.host);
  const std::string suite = run.plan.suite.empty() ? "" : ", suite " + one_line(run.plan.suite);
  const std::string started = run.tool.started_at.empty() ? "" : ", started " + one_line(run.tool.started_at);
  return {fmt::format("On {}{}{}{}. {}.", devices_text(run), host, suite, started, outcome_text(run.cases))};
}

bool is_same_kind(const CaseRecord& a, const CaseRecord& b) {
  return a.model == b.model && a.sizes == b.sizes && a.dataset == b.dataset;
}

/// Of two figures of a kind the one of more samples a second, or, where samples are not told, of less time.
bool is_better(const CaseFigure& a, const CaseFigure& b) {
  if (a.rate() && b.rate()) return *a.rate() > *b.rate();
  return a.seconds < b.seconds;
}

std::vector<CaseFigure> best_of_each_kind(const std::vector<CaseFigure>& figures) {
  std::vector<CaseFigure> best;
  for (const CaseFigure& figure : figures) {
    const auto same = std::find_if(best.begin(), best.end(), [&](const CaseFigure& other) {
      return is_same_kind(*other.record, *figure.record);
    });
    if (same == best.end())
      best.push_back(figure);
    else if (is_better(figure, *same))
      *same = figure;
  }
  return best;
}

std::string rate_text(double rate) {
  const std::string number = rate < 100 ? fmt::format("{:.1f}", rate) : with_separators(std::llround(rate));
  return number + " samples/s";
}

std::string best_text(const CaseFigure& figure, const CaseNames& names) {
  const auto rate = figure.rate();
  return fmt::format("{}: {}", names.batch(*figure.record),
                     rate ? rate_text(*rate) : prefixed_text(figure.seconds, "s") + " an epoch");
}

Paragraph best_figures(const std::vector<CaseFigure>& figures, const CaseNames& names) {
  std::vector<std::string> parts;
  for (const CaseFigure& best : best_of_each_kind(figures)) parts.push_back(best_text(best, names));
  return {"Fastest of each model: " + counted(std::move(parts)) + "."};
}

/// "Medians are known to ± 0.4 % (mlp, batch 32) to ± 12 % (cnn, batch 128)."
std::string known_to(const std::vector<CaseFigure>& figures, const CaseNames& names) {
  std::vector<std::pair<double, std::string>> known;
  for (const CaseFigure& figure : figures) {
    if (!figure.interval) continue;
    const double halfwidth = (figure.interval->high - figure.interval->low) / 2 / figure.seconds;
    known.emplace_back(halfwidth, names.batch(*figure.record));
  }
  if (known.empty())
    return "No median has an interval: that takes three epochs after the warm-up, or repeats";
  const auto [best, worst] = std::minmax_element(known.begin(), known.end());
  const std::string least = percent_text(best->first);
  const std::string most = percent_text(worst->first);
  if (known.size() == 1) return "The median is known to ± " + least;
  if (least == most) return "Medians are known to ± " + least;
  return fmt::format("Medians are known to ± {} ({}) to ± {} ({})", least, best->second, most, worst->second);
}

/// "times were steady in 3 of 6 cases, still changing in 1, and epochs are too few to tell in 2"
std::string steadiness(const std::vector<CaseRecord>& cases) {
  std::size_t steady = 0;
  std::size_t changing = 0;
  for (const CaseRecord& c : cases) {
    const Reading<bool> is_level = is_steady(c);
    if (c.status == CaseStatus::kOk && is_level.has_value()) ++(is_level.value() ? steady : changing);
  }
  const std::size_t good = count_of_good(cases);
  const std::size_t unknown = good - steady - changing;
  if (steady + changing == 0) return "epochs are too few to tell whether times were steady";
  if (changing + unknown == 0) return "times were steady";
  std::string text = fmt::format("times were steady in {} of {} cases", steady, good);
  if (changing > 0) text += fmt::format(", still changing in {}", changing);
  return unknown == 0 ? text : text + fmt::format(", and epochs are too few to tell in {}", unknown);
}

}  // namespace

std::vector<Paragraph> run_summary(const RunRecord& run) {
  const CaseNames names(run.cases);
  const std::vector<CaseFigure> figures = case_figures(run);
  std::vector<Paragraph> summary = publication_cautions(run.published);
  summary.push_back(what_was_run(run));
  if (!figures.empty()) summary.push_back(best_figures(figures, names));
  if (!figures.empty() && !run.published)
    summary.push_back({known_to(figures, names) + "; " + steadiness(run.cases) + "."});
  for (Paragraph& caution : run_cautions(run)) summary.push_back(std::move(caution));
  return summary;
}

}  // namespace gpubench
