#include "compare/run_cautions.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "compare/case_names.h"
#include "gpubench/core/nearest.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

/// More parts than this are counted: the table has them all.
constexpr std::size_t kMostParts = 12;

/// Failures by status, since what is out of memory is another matter than what crashed.
void add_failures(std::vector<Paragraph>& cautions, const std::vector<CaseRecord>& cases) {
  const CaseNames names(cases);
  std::map<CaseStatus, std::vector<std::string>> failed;
  for (const CaseRecord& c : cases) {
    if (c.status == CaseStatus::kOk) continue;
    std::vector<std::string>& known = failed[c.status];
    const std::string name = names.batch(c);
    // Repeats fail together mostly.
    if (std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
  }
  std::vector<std::string> parts;
  for (const auto& [status, words] : failed) parts.push_back(to_string(status) + ": " + counted(words));
  if (!parts.empty()) cautions.push_back({"Not ok: " + join(parts, ". ") + ".", Tone::kBad});
}

bool uses(const RunRecord& run, const DatasetRecord& dataset) {
  for (const CaseRecord& c : run.cases) {
    if (c.dataset == dataset.name) return true;
  }
  return false;
}

void add_data(std::vector<Paragraph>& cautions, const RunRecord& run) {
  std::vector<std::string> synthetic;
  std::vector<std::string> noted;
  for (const DatasetRecord& dataset : run.environment.datasets) {
    if (!uses(run, dataset)) continue;
    const std::string name = one_line(dataset.name);
    if (dataset.is_synthetic)
      synthetic.push_back(name);
    else if (!dataset.note.empty())
      noted.push_back(name + ": " + one_line(dataset.note));
  }
  if (!synthetic.empty()) {
    cautions.push_back(
        {fmt::format("Synthetic data stood in for {}: times hold, accuracy means nothing.", join(synthetic)),
         Tone::kWarning});
  }
  if (!noted.empty()) cautions.push_back({"Data to mind: " + join(noted, "; ") + ".", Tone::kWarning});
}

void add_warnings(std::vector<Paragraph>& cautions, const std::vector<CaseRecord>& cases) {
  std::size_t warnings = 0;
  std::size_t warned = 0;
  for (const CaseRecord& c : cases) {
    warnings += c.warnings.size();
    if (!c.warnings.empty()) ++warned;
  }
  if (warnings == 0) return;
  cautions.push_back(
      {fmt::format("{} {} about what else went on on the machine, in {} of {} cases; see the notes "
                   "below the cases.",
                   warnings, warnings == 1 ? "warning" : "warnings", warned, cases.size()),
       Tone::kWarning});
}

}  // namespace

std::string counted(std::vector<std::string> parts) {
  if (parts.size() <= kMostParts) return join(parts, "; ");
  const std::size_t rest = parts.size() - kMostParts;
  parts.resize(kMostParts);
  return fmt::format("{}; and {} more", join(parts, "; "), rest);
}

std::vector<Paragraph> publication_cautions(const std::optional<PublishedRecord>& publication) {
  if (!publication) return {};
  const PublishedRecord& published = *publication;
  const std::string address = published.address.has_value() ? " (" + published.address.value() + ")" : "";
  return {{"Not measured by gpubench, but published: " + published.title + address, Tone::kWarning},
          {"Protocol: " + published.protocol, Tone::kWarning},
          {"To mind: " + published.note, Tone::kWarning}};
}

std::vector<Paragraph> run_cautions(const RunRecord& run) {
  std::vector<Paragraph> cautions;
  add_failures(cautions, run.cases);
  add_data(cautions, run);
  add_warnings(cautions, run.cases);
  return cautions;
}

}  // namespace gpubench
