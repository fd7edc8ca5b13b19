#include <charconv>

#include <fmt/format.h>

#include "engine/plan/op_plan.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

constexpr std::int64_t kLargest = 1 << 20;  // Two such matrices have eight terabytes.
constexpr std::size_t kMostSizes = 1000;

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("--sweep {}: {}; give first, last and step, as in "
                                             "256:16384:*2 or 256:1024:+256",
                                             text, why));
}

std::int64_t number_in(std::string_view part, std::int64_t least, const std::string& whole) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size()) {
    refuse(whole, fmt::format("'{}' is no whole number", part));
  }
  if (value < least || value > kLargest)
    refuse(whole, fmt::format("{} is not between {} and {}", value, least, kLargest));
  return value;
}

}  // namespace

std::vector<std::int64_t> parse_sweep(const std::string& text) {
  const std::string_view view(text);
  const std::size_t first_end = view.find(':');
  const std::size_t last_end = view.find(':', first_end + 1);
  if (first_end == view.npos || last_end == view.npos) refuse(text, "three parts are needed");
  const std::string_view step = view.substr(last_end + 1);
  const bool is_factor = step.starts_with('*');
  if (!is_factor && !step.starts_with('+')) refuse(text, "the step begins with * or +");
  const std::int64_t first = number_in(view.substr(0, first_end), 1, text);
  const std::int64_t last = number_in(view.substr(first_end + 1, last_end - first_end - 1), 1, text);
  const std::int64_t by = number_in(step.substr(1), is_factor ? 2 : 1, text);
  if (first > last) refuse(text, "the first size is above the last");
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = first; size <= last; size = is_factor ? size * by : size + by) {
    if (sizes.size() == kMostSizes) refuse(text, fmt::format("it has more than {} sizes", kMostSizes));
    sizes.push_back(size);
  }
  return sizes;
}

}  // namespace gpubench
