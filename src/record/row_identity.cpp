#include "gpubench/record/row_identity.h"

#include <algorithm>
#include <array>
#include <map>

#include "gpubench/core/text/quantities.h"
#include "gpubench/record/parameter.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

using Part = RowIdentity::Part;

constexpr ParameterUse kTrainSamples{.in_name = InName::kOnlyIfDifferent,
                                     .after = " samples",
                                     .usual = "",
                                     .mode_distance = 16,
                                     .key = "train_samples"};

/// Parts that depend on the model: they distinguish rows of the same model only.
constexpr std::array<std::string_view, 3> kModelParts = {"sizes", "dataset", "train_samples"};

template <class Point>
std::vector<Part> list_parts(const ParameterTable<Point>& parameters, const Point& point) {
  std::vector<Part> parts;
  for (const Parameter<Point>& parameter : parameters) {
    if (parameter.use.in_name != InName::kNever)
      parts.push_back({&parameter.use, to_text(parameter.get(point))});
  }
  return parts;
}

}  // namespace

const std::string& RowIdentity::at(std::string_view key) const {
  static const std::string none;
  const auto found = std::ranges::find(parts_, key, [](const Part& part) { return part.key->key; });
  return found == parts_.end() ? none : found->value;
}

std::int64_t RowIdentity::number(std::string_view key) const { return parse_whole(at(key)).value_or(0); }

RowIdentity RowIdentity::with(std::string_view key, std::string value) const {
  RowIdentity other = *this;
  for (Part& part : other.parts_) {
    if (part.key->key == key) part.value = value;
  }
  return other;
}

RowIdentity RowIdentity::without(std::span<const std::string_view> keys) const {
  RowIdentity rest = *this;
  std::erase_if(rest.parts_,
                [&](const Part& part) { return std::ranges::find(keys, part.key->key) != keys.end(); });
  return rest;
}

RowIdentity make_identity(const CaseRecord& record) {
  std::vector<Part> parts = list_parts(train_parameters(), static_cast<const TrainPoint&>(record));
  const std::int64_t samples = record.train_samples;
  parts.push_back({&kTrainSamples, samples > 0 ? std::to_string(samples) : ""});
  return RowIdentity(std::move(parts));
}

RowIdentity make_identity(const OpRecord& record) {
  return RowIdentity(list_parts(op_parameters(), static_cast<const OpPoint&>(record)));
}

std::vector<std::vector<std::size_t>> group_repeats(std::span<const RowIdentity> rows) {
  std::vector<std::vector<std::size_t>> all;
  std::map<RowIdentity, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto [place, is_new] = places.try_emplace(rows[i], all.size());
    if (is_new) all.emplace_back();
    all[place->second].push_back(i);
  }
  return all;
}

std::string make_name(const RowIdentity& identity) {
  std::string name = identity.subject();
  for (const Part& part : std::span(identity.parts()).subspan(1)) {
    const bool is_shown = part.key->in_name != InName::kOnlyIfDifferent && part.value != part.key->usual;
    if (is_shown) name.append(part.key->before).append(part.value).append(part.key->after);
  }
  return name;
}

std::string mode_text(const TrainingMode& mode) {
  std::string text;
  for (const Part& part : list_parts(train_parameters(), TrainPoint{.mode = mode})) {
    if (part.key->mode_distance > 0 && part.value != part.key->usual)
      text.append(part.key->before).append(part.value);
  }
  return text.empty() ? text : text.substr(2);  // Without the first comma.
}

RowNames::RowNames(std::span<const RowIdentity> rows) {
  std::map<std::string, std::string> parts;
  std::map<std::string, int> rows_of;                                      // By model.
  std::map<std::pair<std::string, std::string_view>, int> rows_with_size;  // By model and "layers=4".
  for (const RowIdentity& row : rows) {
    for (const RowIdentity::Part& part : row.parts()) {
      const std::string_view key = part.key->key;
      const bool is_by_model = std::ranges::find(kModelParts, key) != kModelParts.end();
      const std::string kind = std::string(key) + (is_by_model ? " " + row.subject() : "");
      // A part that is missing in a file never differs.
      if (!part.value.empty() && parts.emplace(kind, part.value).first->second != part.value)
        differing_.insert(key);
    }
    ++rows_of[row.subject()];
    for (const std::string_view size : split_fields(row.at("sizes"), ','))
      ++rows_with_size[{row.subject(), size}];
  }
  // Rows with the default size do not name it.
  for (const auto& [place, count] : rows_with_size) {
    const auto& [model, size] = place;
    if (count < rows_of[model]) differing_sizes_.insert(std::string(size.substr(0, size.find('='))));
  }
  if (!differing_sizes_.empty()) differing_.insert("sizes");
}

bool RowNames::is_shown(const RowIdentity::Part& part) const {
  if (part.key->in_name == InName::kAlways) return true;
  return part.key->in_name == InName::kUnlessDefault ? part.value != part.key->usual
                                                     : differing_.contains(part.key->key);
}

std::string RowNames::of(const RowIdentity& identity) const {
  std::string name;
  for (const RowIdentity::Part& part : identity.parts()) {
    const bool is_of_model = part.key->key == "sizes" && part.key->in_name != InName::kAlways;
    const std::string value = is_of_model ? differing_sizes(identity) : part.value;
    if (value.empty() || !is_shown(part)) continue;
    std::string_view before = part.key->before;
    const bool is_first = name.empty();
    if (is_first) before = before.starts_with(", ") ? before.substr(2) : "";  // "batch 32", but not "on cpu".
    name.append(before).append(value);
    if (!is_first || !part.key->before.ends_with('(')) name += part.key->after;
  }
  return name;
}

std::string RowNames::differing_sizes(const RowIdentity& identity) const {
  std::vector<std::string> differing;
  for (const std::string_view size : split_fields(identity.at("sizes"), ',')) {
    if (differing_sizes_.contains(std::string(size.substr(0, size.find('='))))) differing.emplace_back(size);
  }
  return join(differing);
}

}  // namespace gpubench
