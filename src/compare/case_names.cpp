#include "compare/case_names.h"

#include <algorithm>
#include <map>
#include <sstream>
#include <utility>

#include "gpubench/core/nearest.h"
#include "report/table_notes.h"

namespace gpubench {
namespace {

using NamedTexts = std::vector<std::pair<std::string, std::string>>;

/// Whether two cases of one model differ in what `get` gives.
template <class Get>
bool differs(const std::vector<CaseRecord>& cases, Get get) {
  std::map<std::string, std::string> first;
  for (const CaseRecord& c : cases) {
    const auto [known, is_new] = first.emplace(c.model, get(c));
    if (!is_new && known->second != get(c)) return true;
  }
  return false;
}

bool has_several_devices(const std::vector<CaseRecord>& cases) {
  for (const CaseRecord& c : cases) {
    if (c.device != cases.front().device) return true;
  }
  return false;
}

/// "layers=2,heads=4" as pairs.
NamedTexts sizes_of(const CaseRecord& c) {
  NamedTexts sizes;
  std::istringstream words(c.sizes);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t sign = std::min(word.find('='), word.size());
    sizes.emplace_back(word.substr(0, sign), word.substr(sign));
  }
  return sizes;
}

/// Those of the sizes whose names `is_wanted`.
template <class Wanted>
std::string joined(const NamedTexts& sizes, Wanted is_wanted) {
  std::vector<std::string> words;
  for (const auto& [name, value] : sizes) {
    if (is_wanted(name)) words.push_back(name + value);
  }
  return join(words);
}

std::set<std::string> differing_sizes(const std::vector<CaseRecord>& cases) {
  std::set<std::string> differing;
  std::map<std::pair<std::string, std::string>, std::string> first;
  for (const CaseRecord& c : cases) {
    for (const auto& [name, value] : sizes_of(c)) {
      const auto [known, is_new] = first.emplace(std::pair(c.model, name), value);
      if (!is_new && known->second != value) differing.insert(name);
    }
  }
  return differing;
}

}  // namespace

CaseNames::CaseNames(const std::vector<CaseRecord>& cases)
    : tells_device_(has_several_devices(cases)),
      tells_dataset_(differs(cases, [](const CaseRecord& c) { return c.dataset; })),
      tells_repeat_(has_repeats(cases)),
      told_sizes_(differing_sizes(cases)) {}

std::string CaseNames::line(const CaseRecord& c) const {
  std::string name = c.model;
  if (tells_device_) name += " on " + c.device;
  if (tells_dataset_) name += ", " + c.dataset;
  const std::string mode = mode_text(c.mode);
  if (!mode.empty()) name += ", " + mode;
  if (c.protocol == Protocol::kFit) name += ", fit";
  const std::string sizes = told_sizes(c);
  if (!sizes.empty()) name += ", " + sizes;
  return one_line(name);
}

std::string CaseNames::told_sizes(const CaseRecord& c) const {
  return joined(sizes_of(c), [&](const std::string& size) { return told_sizes_.contains(size); });
}

std::string CaseNames::common_sizes(const CaseRecord& c) const {
  return joined(sizes_of(c), [&](const std::string& size) { return !told_sizes_.contains(size); });
}

std::string CaseNames::batch(const CaseRecord& c) const {
  return line(c) + ", batch " + std::to_string(c.batch_size);
}

std::string CaseNames::whole(const CaseRecord& c) const {
  return batch(c) + (tells_repeat_ ? ", repeat " + std::to_string(c.repeat) : "");
}

}  // namespace gpubench
