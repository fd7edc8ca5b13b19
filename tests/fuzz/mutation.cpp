#include "fuzz/mutation.h"

#include <cstdint>
#include <limits>
#include <optional>

#include "fuzz/pieces.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/field_table.h"

namespace gpubench::fuzz {
namespace {

using Json = nlohmann::ordered_json;

/// Maximum depth of parsed documents, because the library writes and deletes values recursively.
constexpr std::size_t kDeepest = 100;

/// Keys of all records, and possible values of their texts.
struct Words {
  std::vector<std::string> keys{"missing", "schema_version", "results", "asked",
                                "facts",   "figures",        "samples", "content_sha256"};
  std::vector<std::string> texts{"", "auto", "\x1b[31m", "\u202e", "../x", "2026-11-22T18:00:00Z", "1e999"};

  Words() {
    add(case_fields());
    add(energy_fields());
    add(phase_fields());
    add(warning_fields());
    add(tool_fields());
    add(plan_fields());
    add(published_fields());
    add(environment_fields());
    add(device_fields());
    add(dataset_fields());
    add(data_file_fields());
    add(op_fields());
    add(peak_point_fields());
    add(check_fields());
  }

  template <class Record>
  void add(const FieldTable<Record>& fields) {
    for (const Field<Record>& field : fields) {
      keys.push_back(field.key);
      append(texts, field.values.names);
    }
  }
};

const Words& words() {
  static const Words all;
  return all;
}

bool is_deep(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  for (const char c : text) {
    if (c == '[' || c == '{') deepest = std::max(deepest, ++depth);
    if ((c == ']' || c == '}') && depth > 0) --depth;
  }
  return deepest > kDeepest;
}

/// Parses JSON, without the comments that suites may have; nullopt if the text is not JSON.
std::optional<Json> parsed(std::string_view text) {
  if (is_deep(text)) return std::nullopt;
  Json document = Json::parse(text, nullptr, /*allow_exceptions=*/false, /*ignore_comments=*/true);
  if (document.is_discarded()) return std::nullopt;
  return document;
}

std::string written(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::ignore);
}

/// Appends the value and all values in it.
void collect(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& part : value) collect(part, all);
}

std::vector<Json*> values_in(Json& document) {
  std::vector<Json*> all;
  collect(document, all);
  return all;
}

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

std::string Mutator::changed(std::string_view input, std::size_t most) {
  if (shape_ == Shape::kBytes || is_one_in(8)) return change_bytes_(std::string(input), most);
  return shape_ == Shape::kJson ? changed_json(input, most) : changed_lines(input, most);
}

std::string Mutator::changed_json(std::string_view text, std::size_t most) {
  std::optional<Json> document = parsed(text);
  if (!document) return change_bytes_(std::string(text), most);
  do change(*document);
  while (is_one_in(3));
  return written(*document);
}

std::string Mutator::changed_lines(std::string_view text, std::size_t most) {
  std::vector<std::string> lines = list_lines(text);
  if (lines.empty()) return change_bytes_(std::string(text), most);
  const std::size_t at = below(lines.size());
  switch (below(8)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(at));
      break;
    case 1:
      lines.push_back(lines[at]);
      break;
    case 2:
      std::swap(lines[at], one_of(lines));
      break;
    default:
      lines[at] = shape_ == Shape::kJsonLines ? changed_json(lines[at], most)
                                              : change_bytes_(lines[at], lines[at].size() + 64);
  }
  return joined(lines);
}

void Mutator::change(Json& document) {
  const std::vector<Json*> all = values_in(document);
  Json& value = *one_of(all);
  switch (below(6)) {
    case 0:
      value = any_value();
      break;
    case 1:
      value = Json(*one_of(all));  // A copy, because one may contain the other.
      break;
    default:
      value.is_structured() ? change_members(value, all) : change_value(value);
  }
}

void Mutator::change_members(Json& container, const std::vector<Json*>& all) {
  const Json other = is_one_in(2) ? any_value() : *one_of(all);
  if (container.is_array()) {
    const std::size_t copies = is_one_in(8) ? 64 : 1;
    if (!container.empty() && is_one_in(3)) return container.erase(below(container.size()));
    for (std::size_t i = 0; i < copies; ++i) container.push_back(other);
  } else if (container.empty() || is_one_in(3)) {
    container[one_of(words().keys)] = other;
  } else {
    rename_member(container);
  }
}

/// Renames or removes a member.
void Mutator::rename_member(Json& object) {
  auto member = object.begin();
  std::advance(member, static_cast<std::ptrdiff_t>(below(object.size())));
  Json value = std::move(*member);
  object.erase(member);
  if (is_one_in(2)) object[one_of(words().keys)] = std::move(value);
}

void Mutator::change_value(Json& value) {
  if (value.is_string() && is_one_in(2)) {
    const std::string text = value.get<std::string>();
    value = change_bytes_(text, text.size() + 16);
  } else if (value.is_number_integer() && is_one_in(2)) {
    value = static_cast<std::int64_t>(value.get<std::uint64_t>() + below(5) - 2);
  } else if (value.is_number() && is_one_in(2)) {
    value = value.get<double>() * (is_one_in(2) ? -1 : 1e9);
  } else {
    value = any_value();
  }
}

nlohmann::ordered_json Mutator::any_value() {
  switch (below(8)) {
    case 0:
      return nullptr;
    case 1:
      return is_one_in(2);
    case 2:
      return Json::array();
    case 3:
      return Json::object();
    case 4:
      return std::string(below(2'000), 'x');
    case 5:
      return one_of(words().texts);
    default:
      return any_number();
  }
}

nlohmann::ordered_json Mutator::any_number() {
  static const std::vector<Json> numbers{0,
                                         1,
                                         -1,
                                         0.5,
                                         3,
                                         1e-300,
                                         5e-324,
                                         1e18,
                                         -1e18,
                                         1e308,
                                         -1e308,
                                         std::int64_t{1} << 31,
                                         std::int64_t{1} << 32,
                                         (std::int64_t{1} << 53) + 1,
                                         std::numeric_limits<std::int64_t>::max(),
                                         std::numeric_limits<std::int64_t>::min(),
                                         std::numeric_limits<std::uint64_t>::max()};
  return one_of(numbers);
}

std::string Mutator::crossed(std::string_view input, std::string_view other, std::size_t most) {
  if (shape_ == Shape::kBytes) return change_bytes_(std::string(is_one_in(2) ? input : other), most);
  if (shape_ != Shape::kJson) {
    std::vector<std::string> lines = list_lines(input);
    const std::vector<std::string> others = list_lines(other);
    if (lines.empty() || others.empty()) return change_bytes_(std::string(input), most);
    lines.insert(lines.begin() + static_cast<std::ptrdiff_t>(below(lines.size() + 1)), one_of(others));
    return joined(lines);
  }
  std::optional<Json> document = parsed(input);
  std::optional<Json> source = parsed(other);
  if (!document || !source) return change_bytes_(std::string(input), most);
  const std::vector<Json*> places = values_in(*document);
  const std::vector<Json*> parts = values_in(*source);
  *one_of(places) = *one_of(parts);
  return written(*document);
}

}  // namespace gpubench::fuzz
