#include "gpubench/record/op_case.h"

#include <sstream>
#include <string_view>

#include <fmt/ranges.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {

std::string to_string(const OpCase& c) {
  std::vector<std::string> words =
      mapped(c.tensors, [](const auto& sizes) { return fmt::format("{}", fmt::join(sizes, "x")); });
  if (c.axis) words.push_back(fmt::format("axis={}", *c.axis));
  return join(words, " ");
}

OpCase parse_op_case(const std::string& text, const std::string& option) {
  constexpr std::string_view kAxis = "axis=";
  const Error refusal(ErrorKind::kUsage,
                      "{} \"{}\": give sizes as 64x1024x128, tensors separated by spaces, axis=0 at the end",
                      option, text);
  const auto take = [&](std::string_view part, std::int64_t least) {
    const std::optional<std::int64_t> number = parse_whole(part);
    return number && *number >= least ? *number : throw refusal;
  };
  OpCase c;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (c.axis) throw refusal;
    if (word.starts_with(kAxis)) {
      c.axis = take(std::string_view(word).substr(kAxis.size()), -8);
    } else {
      std::vector<std::int64_t>& sizes = c.tensors.emplace_back();
      for (const std::string_view part : split_fields(word, 'x')) sizes.push_back(take(part, 1));
    }
  }
  if (c.tensors.empty()) throw refusal;
  return c;
}

double get_count(const OpCase& c, std::size_t index) {
  double count = 1;
  for (const std::int64_t size : c.tensors.at(index)) count *= static_cast<double>(size);
  return count;
}

}  // namespace gpubench
