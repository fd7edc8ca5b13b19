#include "gpubench/core/nearest.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// Returns the number of insertions, deletions, replacements and swaps of neighbours from `a` to `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment: three rows of the table are enough to detect swaps.
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), current(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    current[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
    before_last.swap(last);
    last.swap(current);
  }
  return last[b.size()];
}

}  // namespace

std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known) {
  std::optional<std::string> best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best_distance) continue;
    best = candidate;
    best_distance = distance;
  }
  return best;
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string> known) {
  const auto nearest = nearest_name(name, known);
  const std::string guess = nearest ? fmt::format("did you mean '{}'? ", *nearest) : "";
  return fmt::format("unknown {} '{}'; {}known: {}", kind, name, guess, join(known));
}

void throw_unknown_name(ErrorKind error, std::string_view kind, std::string_view name,
                        std::span<const std::string> known) {
  throw Error(error, unknown_name_message(kind, name, known));
}

void throw_unknown_name(std::string_view option, std::string_view kind, std::string_view name,
                        std::span<const std::string> known) {
  const std::string message = unknown_name_message(kind, name, known);
  throw Error(ErrorKind::kUsage, option.empty() ? message : fmt::format("{}: {}", option, message));
}

}  // namespace gpubench
