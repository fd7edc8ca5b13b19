#include "record/document/json.h"

#include <algorithm>
#include <set>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/files.h"

namespace gpubench {
namespace {

/// Appends `value` to `text`. `list` is the key of `value`, or of the list that contains it.
void lay_out(std::string& text, const Json& value, const std::string& indent, const std::string& list) {
  if (!value.is_structured() || value.empty()) {
    text += json_text(value);
    return;
  }
  // Phases are many and short: one line each.
  const bool is_line = (value.is_array() || list == "timeline") &&
                       std::ranges::none_of(value, [](const Json& item) { return item.is_structured(); });
  const std::string inner = indent + "  ";
  text += value.is_object() ? "{" : "[";
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item != value.begin()) text += is_line ? ", " : ",";
    if (!is_line) text += "\n" + inner;
    if (value.is_object()) text += json_text(item.key()) + ": ";
    lay_out(text, *item, inner, value.is_object() ? item.key() : list);
  }
  if (!is_line) text += "\n" + indent;
  text += value.is_object() ? "}" : "]";
}

using SortedJson = nlohmann::json;

void make_double(SortedJson& value) {
  // Adding 0 converts -0 to 0.
  if (value.is_number()) value = value.get<double>() + 0.0;
  if (!value.is_structured()) return;
  for (SortedJson& item : value) make_double(item);
}

/// SAX handler that builds a value from the events of nlohmann's parser.
class Builder {
 public:
  using Text = Json::string_t;

  explicit Builder(std::string_view text) : text_(text) {}

  Json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const Text& /*digits*/) { return add(value); }
  bool string(Text& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // Never called for text.

  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }

  bool key(Text& name) {
    list_members(*open_.back()).emplace_back(std::move(name), nullptr);
    return true;
  }

  bool end_object() {
    std::set<std::string_view> known;
    for (const auto& [key, value] : list_members(*open_.back())) {
      if (!known.insert(key).second)
        throw Error(ErrorKind::kData, "has the key {} twice in an object", json_text(key));
    }
    return close();
  }

  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const Text& /*token*/, const Json::exception& error) {
    if (error.id == 406)
      throw Error(ErrorKind::kData, "the number before {} is too large", format_place(position));
    refuse_at(position);
  }

  /// Throws a data Error for a fault in the last of `count` characters.
  [[noreturn]] void refuse_at(std::size_t count) const {
    throw Error(ErrorKind::kData, "not valid JSON at {}", format_place(count));
  }

 private:
  Json& slot() {
    if (open_.empty()) return root_;
    Json& parent = *open_.back();
    if (parent.is_object()) return list_members(parent).back().second;
    return parent.get_ref<Json::array_t&>().emplace_back();
  }

  bool add(Json value) {
    slot() = std::move(value);
    return true;
  }

  bool open(Json value) {
    if (open_.size() == kDeepestDocument)
      throw Error(ErrorKind::kData, "nests lists and objects deeper than {} levels", kDeepestDocument);
    Json& place = slot();
    place = std::move(value);
    open_.push_back(&place);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  /// Formats the place of the last of `count` characters: "line 3, column 17".
  std::string format_place(std::size_t count) const {
    const std::string_view before = text_.substr(0, std::max<std::size_t>(count, 1) - 1);
    const std::size_t last_end = before.rfind('\n');
    const std::size_t line_begin = last_end == std::string_view::npos ? 0 : last_end + 1;
    return fmt::format("line {}, column {}", std::ranges::count(before, '\n') + 1,
                       before.size() - line_begin + 1);
  }

  std::string_view text_;
  Json root_;
  std::vector<Json*> open_;  // Open lists and objects, outermost first; they do not move.
};

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

bool is_changed(const Json& document) {
  const Json stated = document.value(kContentHashKey, Json());
  return !stated.is_null() && stated != content_hash(document);
}

Json sealed(Json document) {
  document.erase(kContentHashKey);
  document[kContentHashKey] = content_hash(document);
  return document;
}

// nlohmann's own builder accepts any depth and duplicate keys.
Json parse_document(std::string_view text, Comments comments) {
  // One of these characters precedes each value except the first.
  const auto begins_value = [](char c) { return c == ',' || c == '[' || c == '{'; };
  if (text.size() > kMostValues &&
      static_cast<std::size_t>(std::ranges::count_if(text, begins_value)) > kMostValues)
    throw Error(ErrorKind::kData, "has more than {} values", kMostValues);
  Builder builder(text);
  // The parser would stop at a zero byte.
  if (const std::size_t place = text.find('\0'); place != std::string_view::npos)
    builder.refuse_at(place + 1);
  Json::sax_parse(text, &builder, Json::input_format_t::json, /*strict=*/true, comments == Comments::kTaken);
  return builder.take();
}

Json read_document(const std::filesystem::path& path) try {
  const Measured<std::string> text = read_untrusted_file(path, kLargestDocument);
  if (!text.has_value()) throw Error(ErrorKind::kData, text.reason());
  if (text.value().empty()) throw Error(ErrorKind::kData, "is empty");
  return parse_document(text.value());
} catch (const Error& error) {
  throw Error(ErrorKind::kData, "{}: {}; use a result file of gpubench", path.string(), error.what());
}

}  // namespace gpubench
