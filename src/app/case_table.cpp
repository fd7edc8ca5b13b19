#include "app/case_table.h"

#include <algorithm>

#include "gpubench/engine/describe.h"

namespace gpubench {
namespace {

bool is_default(const TrainingMode& mode) { return mode == TrainingMode{}; }

bool is_same_kind(const Case& a, const Case& b) {
  return identity_of(a).without({"batch"}) == identity_of(b).without({"batch"});
}

}  // namespace

CaseTable::CaseTable(const std::vector<Case>& cases, const std::vector<TextTable::Heading>& figures)
    : has_modes_(!std::all_of(cases.begin(), cases.end(), [](const Case& c) { return is_default(c.mode); })) {
  for (const char* name : {"model", "dataset", "device"}) table_.add_column(name, Align::kLeft);
  if (has_modes_) table_.add_column("mode", Align::kLeft);
  for (const TextTable::Heading& figure : figures) table_.add_column(figure.text, figure.align);
}

void CaseTable::add_row(const Case& c, const std::vector<std::string>& figures) {
  std::vector<std::string> cells{model_text(c), c.dataset->name, c.device};
  if (has_modes_) cells.push_back(is_default(c.mode) ? "default" : mode_text(c.mode));
  cells.insert(cells.end(), figures.begin(), figures.end());
  table_.add_row(std::move(cells));
}

std::string case_kind(const Case& c) {
  const std::string mode = mode_text(c.mode);
  return model_text(c) + " on " + c.device + (mode.empty() ? "" : ", " + mode);
}

std::vector<Case> smallest_cases(const std::vector<Case>& cases) {
  std::vector<Case> smallest;
  for (const Case& c : cases) {
    const auto same = std::find_if(smallest.begin(), smallest.end(),
                                   [&](const Case& other) { return is_same_kind(c, other); });
    if (same == smallest.end())
      smallest.push_back(c);
    else if (c.batch_size < same->batch_size)
      *same = c;
  }
  return smallest;
}

}  // namespace gpubench
