// JSON values: a document, a list, or one value after another, each with any text before it on its line.

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "power/log/readers.h"

namespace gpubench::json_reader {
namespace {

using Json = nlohmann::ordered_json;
using Indices = std::vector<std::size_t>;

constexpr int kDocumentsToRecognize = 20;
constexpr int kDeepest = 12;

/// Returns the end of the object or list at `begin`, or npos if the text ends within it.
std::size_t find_end(std::string_view text, std::size_t begin) {
  std::size_t depth = 0;
  bool is_quoted = false;
  for (std::size_t at = begin; at < text.size(); ++at) {
    const char character = text[at];
    if (is_quoted) {
      if (character == '\\') ++at;
      is_quoted = character != '"';
    } else if (character == '"') {
      is_quoted = true;
    } else if (character == '{' || character == '[') {
      ++depth;
    } else if ((character == '}' || character == ']') && --depth == 0) {
      return at + 1;
    }
  }
  return std::string_view::npos;
}

/// Parses an object or a list; null for other and for deep ones.
Json parse(std::string_view text) {
  bool is_deep = false;
  const auto note_depth = [&](int depth, Json::parse_event_t, const Json&) {
    return !(is_deep = is_deep || depth > kDeepest);
  };
  Json value = Json::parse(text, note_depth, /*allow_exceptions=*/false);
  return is_deep || value.is_discarded() || !value.is_structured() || value.empty() ? Json() : value;
}

/// Values of a document, by their paths: "/gpus/0/power.draw".
struct Document {
  std::size_t line = 0;
  std::string_view text{};
  std::vector<std::pair<std::vector<std::string>, std::string>> values{};
};

std::vector<std::string> split_path(std::string_view path) {
  const std::vector<std::string_view> parts = split_fields(path, '/');
  return {parts.begin(), parts.end()};
}

/// Reads one document after another. The items of a list at the top are documents.
class Documents {
 public:
  explicit Documents(std::string_view text, LogBuilder* builder = nullptr) : text_(text), builder_(builder) {}

  bool next() {
    while (next_item_ >= list_.size())
      if (!read_value()) return false;
    const Json flat = list_[next_item_++].flatten();
    document_.values.clear();
    for (const auto& [path, value] : flat.items()) {
      if (!value.is_primitive() || value.is_null()) continue;
      document_.values.emplace_back(
          split_path(std::string_view(path).substr(std::min<std::size_t>(1, path.size()))),
          value.is_string() ? value.get<std::string>() : value.dump());
    }
    return true;
  }

  const Document& document() const { return document_; }

 private:
  /// Goes to the next value and reads it. Returns false at the end. Skips lines without a value.
  bool read_value() {
    while (at_ < text_.size()) {
      const std::string_view line = text_.substr(at_, text_.find('\n', at_) - at_);
      const std::size_t first = line.find_first_not_of(" \t\r,]");
      const bool is_list = first < line.size() && line[first] == '[';
      const std::size_t open = is_list ? first : line.find('{');
      const std::size_t end = open < line.size() ? find_end(text_, at_ + open) : 0;
      document_.line = number_;
      document_.text = trimmed(line);
      if (end == text_.npos) {
        if (builder_) builder_->leave_out_end();
        return false;
      }
      Json value = end > 0 ? parse(text_.substr(at_ + open, end - at_ - open)) : Json();
      const bool is_foreign = value.is_null() && first < line.size();
      if (is_foreign && builder_) builder_->skip(number_, document_.text, "is not a JSON object");
      const std::size_t next = value.is_null() ? std::min(at_ + line.size() + 1, text_.size()) : end;
      number_ += static_cast<std::size_t>(std::ranges::count(text_.substr(at_, next - at_), '\n'));
      at_ = next;
      if (value.is_null()) continue;
      next_item_ = 0;
      list_.clear();
      if (value.is_array())
        list_.assign(value.begin(), value.end());
      else
        list_.push_back(std::move(value));
      return true;
    }
    return false;
  }

  std::string_view text_;
  LogBuilder* builder_;
  std::size_t at_ = 0;
  std::size_t number_ = 1;
  std::vector<Json> list_;
  std::size_t next_item_ = 0;
  Document document_;
};

/// Values at a place, by the items of lists ("*") on their way, and the text of its placeholder.
struct Found {
  std::map<Indices, std::string_view> values{};
  std::string captured{};
};

/// Returns the items of lists on the way of a path; nothing if the place names another path.
std::optional<Indices> match_path(const std::vector<std::string>& place, const std::vector<std::string>& path,
                                  std::string& captured) {
  if (place.size() != path.size()) return std::nullopt;
  Indices indices;
  for (std::size_t i = 0; i < place.size(); ++i) {
    if (place[i] == path[i]) continue;
    const auto index = place[i] == "*" ? parse_whole(path[i]) : std::nullopt;
    const bool is_pattern = place[i].find('{') != std::string::npos;
    if (index)
      indices.push_back(static_cast<std::size_t>(*index));
    else if (is_pattern ? !is_place(place[i], Heading{"", path[i]}, captured)
                        : lower(place[i]) != lower(path[i]))
      return std::nullopt;
  }
  return indices;
}

Found find_values(const Document& document, const std::string& place) {
  for (const std::string& one : list_alternatives(place)) {
    const std::vector<std::string> parts = split_path(one);
    Found found;
    for (const auto& [path, value] : document.values)
      if (const auto indices = match_path(parts, path, found.captured)) found.values.emplace(*indices, value);
    if (!found.values.empty()) return found;
  }
  return {};
}

}  // namespace

bool is_json(const std::string& text) {
  Documents documents(text);
  return text.find_first_of("{[") < text.find('\n', std::min<std::size_t>(text.size(), 2000)) &&
         documents.next() && documents.document().line <= 5;
}

bool has_signature(const std::string& text, const LogFormat& format) {
  Documents documents(text);
  for (int i = 0; i < kDocumentsToRecognize && documents.next(); ++i) {
    const auto is_there = [&](const std::string& place) {
      return !find_values(documents.document(), place).values.empty();
    };
    const auto is_wanted = [&](const LogField& field) {
      const auto matches = [&](const auto& one) { return field.condition->match(one.second).has_value(); };
      return field.role != LogRole::kWhere ||
             std::ranges::any_of(find_values(documents.document(), field.place).values, matches);
    };
    if (std::ranges::all_of(format.signature, is_there) && std::ranges::all_of(format.fields, is_wanted))
      return true;
  }
  return false;
}

LogFormat infer(const std::string& text) {
  Documents documents(text);
  std::string first;
  std::string why = "no value is a time and a power";
  for (int i = 0; i < kDocumentsToRecognize && documents.next(); ++i) {
    std::vector<LogColumn> columns;
    auto values = documents.document().values;
    for (auto& [path, value] : values) {
      std::string key = "value";
      for (std::string& part : path) (parse_whole(part) ? part = "*" : key = part);
      const std::string place = join(path, "/");
      if (std::ranges::count(columns, place, &LogColumn::place) == 0)
        columns.push_back({place, parse_heading(key), value});
    }
    Measured<LogFormat> format = infer_format(columns);
    if (format.has_value()) return std::move(format).value();
    if (first.empty()) why = format.reason();
    if (first.empty()) first = documents.document().text;
  }
  refuse_unknown(first, why, "time=KEY power=OUTER/KEY:W");
}

void read(const std::string& text, const LogFormat& format, LogBuilder& builder) {
  bool has_power = false;
  for (Documents documents(text, &builder); documents.next();) {
    const Document& document = documents.document();
    LogFormat layout = format;
    std::vector<Found> found;
    std::map<Indices, bool> rows;  // The items of the lists that have a power.
    for (LogField& field : layout.fields) {
      found.push_back(find_values(document, field.place));
      if (field.role != LogRole::kPower) continue;
      const std::string& captured = found.back().captured;
      if (!captured.empty()) field.facts.gpu.index = gpu_index(captured);
      if (!captured.empty()) field.facts.part += " " + captured;
      for (const auto& [indices, value] : found.back().values) rows.emplace(indices, true);
    }
    if (rows.empty()) builder.skip(document.line, document.text, "has no power");
    has_power = has_power || !rows.empty();
    for (const auto& [indices, unused] : rows) {
      LogRecord record{document.line, document.text, {}};
      bool is_wanted = true;
      for (std::size_t i = 0; i < layout.fields.size(); ++i) {
        // A value outside of the innermost lists belongs to all their items.
        auto value = found[i].values.find(indices);
        for (Indices outer = indices; value == found[i].values.end() && !outer.empty();) {
          outer.pop_back();
          value = found[i].values.find(outer);
        }
        const bool has_value = value != found[i].values.end();
        record.values.push_back(has_value ? std::optional(value->second) : std::nullopt);
        if (layout.fields[i].role == LogRole::kWhere)
          is_wanted = is_wanted && has_value && layout.fields[i].condition->match(value->second);
      }
      if (is_wanted) builder.take(layout, record);
    }
  }
  const auto power = std::ranges::find(format.fields, LogRole::kPower, &LogField::role);
  if (!has_power) refuse_place(format, power->place);
}

}  // namespace gpubench::json_reader
