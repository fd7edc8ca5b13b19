#include "record/document/json.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/io/digest.h"

namespace gpubench {
namespace {

/// How a text is laid out.
struct Style {
  /// Whether a value with `indent` before it is on a line of its own; `list` is its key, or that of the list
  /// that it is in.
  bool (*fits_on_a_line)(const Json& value, const std::string& list, const std::string& indent);
  std::string_view margin;  ///< Within the braces of an object that is on one line.
};

bool is_nested(const Json& value) {
  return std::any_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
}

std::string format_line(const Json& value, std::string_view margin) {
  if (!value.is_structured() || value.empty()) return json_text(value);
  std::string text;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += json_text(item.key()) + ": ";
    text += format_line(*item, margin);
  }
  return value.is_object() ? fmt::format("{{{0}{1}{0}}}", margin, text) : "[" + text + "]";
}

void lay_out(std::string& text, const Json& value, const std::string& indent, const std::string& list,
             const Style& style) {
  if (!value.is_structured() || value.empty() || style.fits_on_a_line(value, list, indent)) {
    text += format_line(value, style.margin);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{" : "[";
  for (auto item = value.begin(); item != value.end(); ++item) {
    text += (item == value.begin() ? "\n" : ",\n") + inner;
    if (value.is_object()) text += json_text(item.key()) + ": ";
    lay_out(text, *item, inner, value.is_object() ? item.key() : list, style);
  }
  text += "\n" + indent + (value.is_object() ? "}" : "]");
}

std::string laid_out(const Json& value, const Style& style) {
  std::string text;
  lay_out(text, value, "", "", style);
  return text + "\n";
}

bool fits_in_document(const Json& value, const std::string& list, const std::string& /*indent*/) {
  if (is_nested(value)) return false;
  // Phases and points are many and short.
  return value.is_array() || list == "timeline" || list == "points";
}

constexpr std::string_view kSchemaMargin = " ";

bool fits_in_schema(const Json& value, const std::string& /*list*/, const std::string& indent) {
  constexpr std::size_t kWidth = 240;
  return !is_nested(value) || indent.size() + format_line(value, kSchemaMargin).size() <= kWidth;
}

using SortedJson = nlohmann::json;

void make_double(SortedJson& value) {
  // The sum makes one zero of two.
  if (value.is_number()) value = value.get<double>() + 0.0;
  if (!value.is_structured()) return;
  for (SortedJson& item : value) make_double(item);
}

std::string sorted_text(const Json& value) {
  SortedJson sorted = value;
  make_double(sorted);
  return sorted.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

using Take = std::function<void(std::string_view)>;

void write_sorted(const Json& content, const Take& take);

void write_members(const Json& object, std::optional<std::string> left_out, const Take& take) {
  std::vector<Json::const_iterator> members;
  for (auto member = object.begin(); member != object.end(); ++member) {
    if (member.key() != left_out) members.push_back(member);
  }
  std::ranges::sort(members, {}, [](const auto& member) -> const std::string& { return member.key(); });
  take("{");
  for (const auto& member : members) {
    if (&member != &members.front()) take(",");
    take(json_text(member.key()) + ":");
    write_sorted(*member, take);
  }
  take("}");
}

/// The text goes piece by piece: that of a whole document, and its values sorted, would be three times the
/// document.
void write_sorted(const Json& content, const Take& take) {
  if (!is_nested(content)) return take(sorted_text(content));
  if (content.is_object()) return write_members(content, std::nullopt, take);
  take("[");
  for (const Json& item : content) {
    if (&item != &content.front()) take(",");
    write_sorted(item, take);
  }
  take("]");
}

}  // namespace

void add_member(Json& object, std::string key, Json value) {
  // The list under an ordered map.
  static_cast<Json::object_t::Container&>(object.get_ref<Json::object_t&>())
      .emplace_back(std::move(key), std::move(value));
}

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string document_text(const Json& document) { return laid_out(document, {fits_in_document, ""}); }

std::string schema_text(const Json& schema) { return laid_out(schema, {fits_in_schema, kSchemaMargin}); }

std::string content_hash(const Json& document) {
  Digest digest(DigestKind::kSha256);
  const auto add = [&](std::string_view text) { digest.add(std::as_bytes(std::span(text))); };
  if (document.is_object()) {
    write_members(document, kContentHashKey, add);
  } else {
    write_sorted(document, add);
  }
  return digest.hexadecimal();
}

Json sealed(Json document) {
  document.erase(kContentHashKey);
  document[kContentHashKey] = content_hash(document);
  return document;
}

}  // namespace gpubench
