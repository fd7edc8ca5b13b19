#include "record/document/json.h"

#include <algorithm>
#include <iterator>

namespace gpubench {
namespace {

/// `list` is the key of the list that an item is in; its own key for any other value.
bool fits_on_a_line(const Json& value, const std::string& list) {
  const auto is_nested = [](const Json& item) { return item.is_structured(); };
  if (value.empty() || !value.is_structured()) return true;
  if (std::any_of(value.begin(), value.end(), is_nested)) return false;
  // Phases and points are many and short.
  return value.is_array() || list == "timeline" || list == "points";
}

std::string line(const Json& value) {
  if (!value.is_structured()) return json_text(value);
  std::string text;
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += json_text(item.key()) + ": ";
    text += json_text(*item);
  }
  return value.is_object() ? "{" + text + "}" : "[" + text + "]";
}

void lay_out(std::string& text, const Json& value, const std::string& indent, const std::string& list) {
  if (fits_on_a_line(value, list)) {
    text += line(value);
    return;
  }
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{\n" : "[\n";
  for (auto item = value.begin(); item != value.end(); ++item) {
    text += inner;
    if (value.is_object()) text += json_text(item.key()) + ": ";
    lay_out(text, *item, inner, value.is_object() ? item.key() : list);
    text += std::next(item) == value.end() ? "\n" : ",\n";
  }
  text += indent + (value.is_object() ? "}" : "]");
}

}  // namespace

std::string document_text(const Json& document) {
  std::string text;
  lay_out(text, document, "", "");
  return text + "\n";
}

}  // namespace gpubench
