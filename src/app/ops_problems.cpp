#include <algorithm>

#include <fmt/format.h>

#include "app/ops_table.h"

namespace gpubench {
namespace {

/// Something that rows of an operation have in common, and the first of them.
struct Problem {
  const OpRecord* row;
  std::string what;
  std::size_t rows;
};

void note(std::vector<Problem>& problems, const OpRecord& row, const std::string& what) {
  const auto same = std::find_if(problems.begin(), problems.end(), [&](const Problem& problem) {
    return problem.row->op == row.op && problem.row->device == row.device && problem.what == what;
  });
  if (same != problems.end())
    ++same->rows;
  else
    problems.push_back({&row, what, 1});
}

/// "matmul 256x256 256x256, fp16 on cpu".
std::string name_of(const OpRecord& row) {
  const std::string direction = row.direction == OpDirection::kForward ? "" : ", " + to_string(row.direction);
  const std::string cache = row.cache == OpCache::kWarm ? "" : ", " + to_string(row.cache);
  return fmt::format("{} {}, {}{}{} on {}", row.op, row.sizes, to_string(row.type), direction, cache,
                     row.device);
}

std::string line_of(const Problem& problem) {
  const std::string more = problem.rows > 1 ? fmt::format(" (and {} more)", problem.rows - 1) : "";
  return fmt::format("{}{}: {}\n", name_of(*problem.row), more, problem.what);
}

}  // namespace

std::string ops_problems(const std::vector<OpRecord>& rows) {
  std::vector<Problem> problems;
  for (const OpRecord& row : rows) {
    const std::string message = row.status_message.empty() ? "" : ": " + row.status_message;
    if (row.status != OpStatus::kOk) note(problems, row, to_string(row.status) + message);
    for (const Warning& warning : row.warnings) note(problems, row, warning.text);
  }
  std::string text;
  for (const Problem& problem : problems) text += line_of(problem);
  return text;
}

}  // namespace gpubench
