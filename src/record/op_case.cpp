#include "gpubench/record/op_case.h"

#include <charconv>
#include <sstream>

#include <fmt/ranges.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& option) {
  throw Error(ErrorKind::kUsage,
              "{} \"{}\": give sizes as 64x1024x128, more tensors after spaces, axis=0 at the end", option,
              text);
}

/// All of `text` as a number of at least `least`.
std::int64_t number_in(std::string_view text, std::int64_t least, const std::string& whole,
                       const std::string& option) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < least) refuse(whole, option);
  return value;
}

std::vector<std::int64_t> sizes_in(const std::string& word, const std::string& whole,
                                   const std::string& option) {
  std::vector<std::int64_t> sizes;
  std::istringstream parts(word);
  for (std::string part; std::getline(parts, part, 'x');) sizes.push_back(number_in(part, 1, whole, option));
  if (sizes.empty() || word.back() == 'x') refuse(whole, option);
  return sizes;
}

}  // namespace

std::string to_string(const OpCase& c) {
  std::vector<std::string> words =
      mapped(c.tensors, [](const auto& sizes) { return fmt::format("{}", fmt::join(sizes, "x")); });
  if (c.axis) words.push_back(fmt::format("axis={}", *c.axis));
  return join(words, " ");
}

OpCase parse_op_case(const std::string& text, const std::string& option) {
  constexpr std::string_view kAxis = "axis=";
  OpCase c;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (c.axis) refuse(text, option);
    if (word.starts_with(kAxis)) {
      c.axis = number_in(std::string_view(word).substr(kAxis.size()), -8, text, option);
    } else {
      c.tensors.push_back(sizes_in(word, text, option));
    }
  }
  if (c.tensors.empty()) refuse(text, option);
  return c;
}

double get_count(const OpCase& c, std::size_t index) {
  double count = 1;
  for (const std::int64_t size : c.tensors.at(index)) count *= static_cast<double>(size);
  return count;
}

}  // namespace gpubench
