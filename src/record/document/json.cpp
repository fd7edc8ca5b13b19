#include "record/document/json.h"

#include <algorithm>
#include <span>

#include "gpubench/core/io/digest.h"

namespace gpubench {
namespace {

bool is_nested(const Json& value) {
  return std::any_of(value.begin(), value.end(), [](const Json& item) { return item.is_structured(); });
}

std::string format_line(const Json& value) {
  if (!value.is_structured() || value.empty()) return json_text(value);
  std::string text;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += json_text(item.key()) + ": ";
    text += json_text(*item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

/// `list` is the key of `value`, or of the list that it is in.
void lay_out(std::string& text, const Json& value, const std::string& indent, const std::string& list) {
  // Phases and points are many and short.
  const bool is_short = value.is_array() || list == "timeline" || list == "points";
  if (!value.is_structured() || value.empty() || (is_short && !is_nested(value))) {
    text += format_line(value);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{" : "[";
  for (auto item = value.begin(); item != value.end(); ++item) {
    text += (item == value.begin() ? "\n" : ",\n") + inner;
    if (value.is_object()) text += json_text(item.key()) + ": ";
    lay_out(text, *item, inner, value.is_object() ? item.key() : list);
  }
  text += "\n" + indent + (value.is_object() ? "}" : "]");
}

using SortedJson = nlohmann::json;

void make_double(SortedJson& value) {
  // The sum makes one zero of two.
  if (value.is_number()) value = value.get<double>() + 0.0;
  if (!value.is_structured()) return;
  for (SortedJson& item : value) make_double(item);
}

}  // namespace

std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string document_text(const Json& document) {
  std::string text;
  lay_out(text, document, "", "");
  return text + "\n";
}

std::string content_hash(const Json& document) {
  SortedJson sorted = document;
  if (sorted.is_object()) sorted.erase(kContentHashKey);
  make_double(sorted);
  const std::string text = sorted.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
  return sha256(std::as_bytes(std::span(text)));
}

Json sealed(Json document) {
  document.erase(kContentHashKey);
  document[kContentHashKey] = content_hash(document);
  return document;
}

}  // namespace gpubench
