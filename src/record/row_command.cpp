#include "gpubench/record/row_command.h"

#include <string_view>

#include <fmt/format.h>

#include "gpubench/record/parameter.h"
#include "gpubench/record/run_record.h"
#include "gpubench/record/workload.h"

namespace gpubench {
namespace {

/// Returns the word, in quotes if a shell would change it.
std::string make_shell_word(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == word.npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

template <class Point>
std::string format_options(const ParameterTable<Point>& parameters, const Point& point) {
  std::string text;
  for (const Parameter<Point>& parameter : parameters) {
    const ParameterUse& use = parameter.use;
    const std::string names = use.option;
    if (names.empty() || !use.is_in_file || use.on_difference == kNoEffect) continue;
    const std::string value = to_text(parameter.get(point));
    const bool is_default = value == use.initial || value == to_text(parameter.get(Point()));
    if (is_default && use.in_name != InName::kAlways) continue;
    text += fmt::format(" {} {}", names.substr(0, names.find(',')), make_shell_word(value));
  }
  return text;
}

}  // namespace

std::string make_command(const CaseRecord& row) {
  TrainPoint point = row;
  // The names of the user's own files do not identify the data.
  const bool has_own_files = row.dataset == "images" || row.dataset == "tokens";
  if (row.is_synthetic || has_own_files) point.dataset = "synthetic";
  const WorkloadEntry& workload = workload_for(row.protocol);
  const bool is_usual = &workload == &*workloads().begin();
  return "gpubench" + (is_usual ? "" : " " + workload.name) + format_options(train_parameters(), point);
}

std::string make_command(const OpRecord& row) {
  OpPoint point = row;
  if (row.ranks == 1) return "gpubench ops" + format_options(op_parameters(), point);
  point.sizes = fmt::format("{0}:{0}:*2", row.sizes);
  return "gpubench net" + format_options(collective_parameters(), point);
}

}  // namespace gpubench
