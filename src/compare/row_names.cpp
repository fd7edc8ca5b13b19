#include "compare/row_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <sstream>
#include <utility>
#include <vector>

#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

/// In these, rows of different models are expected to differ.
constexpr std::array<std::string_view, 3> kOfSubject = {"sizes", "dataset", "train_samples"};

/// "layers=2,heads=4" as pairs.
std::vector<std::pair<std::string, std::string>> named_sizes(const RowIdentity& identity) {
  std::vector<std::pair<std::string, std::string>> sizes;
  std::istringstream words(identity.at("sizes"));
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t sign = std::min(word.find('='), word.size());
    sizes.emplace_back(word.substr(0, sign), word.substr(sign));
  }
  return sizes;
}

/// Returns the text before the first part of a name: "batch " for ", batch ", empty for " on ".
std::string_view without_comma(std::string_view before) {
  return before.starts_with(", ") ? before.substr(2) : std::string_view();
}

}  // namespace

RowNames::RowNames(std::span<const RowIdentity> rows) {
  std::map<std::string, std::string> parts;
  std::map<std::string, std::string> sizes;
  const auto is_another = [](auto& first, const std::string& kind, const std::string& value) {
    return first.emplace(kind, value).first->second != value;
  };
  for (const RowIdentity& row : rows) {
    for (const RowIdentity::Part& part : row.parts()) {
      const std::string_view key = part.key->name;
      const bool is_of_subject = std::ranges::find(kOfSubject, key) != kOfSubject.end();
      const std::string kind = std::string(key) + (is_of_subject ? " " + row.subject() : "");
      // A part that a file does not state never differs.
      if (!part.value.empty() && is_another(parts, kind, part.value)) unlike_.insert(key);
    }
    for (const auto& [name, value] : named_sizes(row)) {
      if (is_another(sizes, name + " " + row.subject(), value)) unlike_sizes_.insert(name);
    }
  }
}

bool RowNames::is_shown(const RowIdentity::Part& part) const {
  using InName = IdentityKey::InName;
  if (part.key->in_name == InName::kAlways) return true;
  return part.key->in_name == InName::kUnlessUsual ? part.value != part.key->usual
                                                   : unlike_.contains(part.key->name);
}

std::string RowNames::of(const RowIdentity& identity) const {
  std::string name;
  for (const RowIdentity::Part& part : identity.parts()) {
    const bool is_of_model = part.key->name == "sizes" && part.key->in_name != IdentityKey::InName::kAlways;
    const std::string value = is_of_model ? told_sizes(identity) : part.value;
    if (value.empty() || !is_shown(part)) continue;
    const bool is_first = name.empty();
    name.append(is_first ? without_comma(part.key->before) : part.key->before).append(value);
    if (!is_first || !part.key->before.ends_with('(')) name += part.key->after;
  }
  return name;
}

std::string RowNames::format_sizes(const RowIdentity& identity, bool are_shown) const {
  std::vector<std::string> words;
  for (const auto& [name, value] : named_sizes(identity)) {
    if (unlike_sizes_.contains(name) == are_shown) words.push_back(name + value);
  }
  return join(words);
}

}  // namespace gpubench
