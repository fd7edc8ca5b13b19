#include "record/document/document_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

namespace dom = simdjson::dom;
namespace fs = std::filesystem;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::kData, what); }

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw Error(ErrorKind::kData, "{}: {}; name a result file of gpubench", path.string(), what);
}

/// Looks before it opens: opening a pipe waits for its other end.
std::size_t checked_size(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse(path, "cannot be read");
  if (!fs::is_regular_file(status)) refuse(path, "is no regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) refuse(path, "cannot be read");
  if (size == 0) refuse(path, "is empty");
  if (size > kLargestDocument) {
    refuse(path, fmt::format("has {} bytes, more than the {} that are read", size, kLargestDocument));
  }
  return static_cast<std::size_t>(size);
}

/// The list under an ordered map, to which a member can be added without a search for its key.
using Members = Json::object_t::Container;

/// Looks for members that have the same key.
class Twins {
 public:
  /// By hash, since few keys share one and sorting numbers is cheap.
  bool are_in(const Members& members) {
    hashes_.clear();
    for (const auto& member : members) hashes_.push_back(std::hash<std::string>()(member.first));
    std::sort(hashes_.begin(), hashes_.end());
    return std::adjacent_find(hashes_.begin(), hashes_.end()) != hashes_.end();
  }

 private:
  std::vector<std::size_t> hashes_;
};

/// Moves what simdjson found into nlohmann's values, which the rest of the program reads.
class Converter {
 public:
  Json converted(const dom::element& element) {
    switch (element.type()) {
      case dom::element_type::OBJECT:
        return object(element.get_object().value_unsafe());
      case dom::element_type::ARRAY:
        return array(element.get_array().value_unsafe());
      case dom::element_type::STRING:
        return std::string(element.get_string().value_unsafe());
      case dom::element_type::INT64:
        return whole(element.get_int64().value_unsafe());
      case dom::element_type::UINT64:
        return element.get_uint64().value_unsafe();
      case dom::element_type::DOUBLE:
        return element.get_double().value_unsafe();
      case dom::element_type::BOOL:
        return element.get_bool().value_unsafe();
      case dom::element_type::NULL_VALUE:
        break;
    }
    return nullptr;
  }

  bool has_twins() const { return has_twins_; }

 private:
  /// nlohmann's parser tells what has a sign from what has none.
  static Json whole(std::int64_t number) {
    if (number < 0) return number;
    return static_cast<std::uint64_t>(number);
  }

  Json array(const dom::array& items) {
    Json array = Json::array();
    auto& list = array.get_ref<Json::array_t&>();
    list.reserve(items.size());
    for (const dom::element item : items) list.push_back(converted(item));
    return array;
  }

  Json object(const dom::object& members) {
    Json object = Json::object();
    Members& list = object.get_ref<Json::object_t&>();
    list.reserve(members.size());
    for (const dom::key_value_pair member : members) {
      list.emplace_back(std::string(member.key), converted(member.value));
    }
    has_twins_ |= twins_.are_in(list);
    return object;
  }

  Twins twins_;
  bool has_twins_ = false;
};

/// The value in `text`; nothing where anything about it is unusual, be it wrong or rare: parse_document()
/// then looks closer.
std::optional<Json> quick_parse(std::string_view text) {
  dom::parser parser;
  if (parser.allocate(text.size(), kDeepestDocument) != simdjson::SUCCESS) return std::nullopt;
  dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return std::nullopt;
  Converter converter;
  Json value = converter.converted(root);
  if (converter.has_twins()) return std::nullopt;
  return value;
}

/// Takes what the parser finds, in order, and builds the value from it.
class Builder {
 public:
  using Text = Json::string_t;

  Json take() { return std::move(root_); }

  bool null() { return add(nullptr); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(Json::number_integer_t value) { return add(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return add(value); }
  bool number_float(Json::number_float_t value, const Text& /*digits*/) { return add(value); }
  bool string(Text& value) { return add(std::move(value)); }
  bool binary(Json::binary_t& /*value*/) { return false; }  // JSON text has none.

  bool start_object(std::size_t /*size*/) {
    open(Json::object());
    // Siblings tend to be of one size, and an object that grows copies its keys.
    members_of(*open_.back()).reserve(last_size_.at(open_.size()));
    return true;
  }

  bool key(Text& name) {
    Members& members = members_of(*open_.back());
    members.emplace_back(std::move(name), nullptr);
    slot_ = &members.back().second;
    return true;
  }

  bool end_object() {
    const Members& members = members_of(*open_.back());
    if (twins_.are_in(members)) find_twin(members);
    last_size_.at(open_.size()) = members.size();
    open_.pop_back();
    return true;
  }

  bool start_array(std::size_t /*size*/) {
    open(Json::array());
    return true;
  }

  bool end_array() {
    open_.pop_back();
    return true;
  }

  bool parse_error(std::size_t position, const Text& /*token*/, const Json::exception& error) {
    if (error.id == 406) refuse(fmt::format("the number before byte {} is too large", position));
    refuse(fmt::format("not JSON from byte {} on", position));
  }

 private:
  static Members& members_of(Json& object) { return object.get_ref<Json::object_t&>(); }

  bool add(Json value) {
    place(std::move(value));
    return true;
  }

  Json& place(Json value) {
    Json* target = &root_;
    if (!open_.empty() && open_.back()->is_array()) {
      target = &open_.back()->get_ref<Json::array_t&>().emplace_back();
    } else if (!open_.empty()) {
      target = slot_;
    }
    *target = std::move(value);
    return *target;
  }

  void open(Json value) {
    if (open_.size() == kDeepestDocument) {
      refuse(fmt::format("nests lists and objects deeper than {} levels", kDeepestDocument));
    }
    open_.push_back(&place(std::move(value)));
  }

  static void find_twin(const Members& members) {
    std::vector<std::string_view> names;
    for (const auto& member : members) names.push_back(member.first);
    std::sort(names.begin(), names.end());
    const auto twin = std::adjacent_find(names.begin(), names.end());
    if (twin != names.end()) refuse(fmt::format("holds the key {} twice in an object", json_text(*twin)));
  }

  Json root_;
  std::vector<Json*> open_;  // From the outermost on; what is open does not move.
  Json* slot_ = nullptr;     // Of the member whose key came last.
  std::array<std::size_t, kDeepestDocument + 1> last_size_{};
  Twins twins_;
};

}  // namespace

// simdjson is three times as fast as nlohmann's parser, but says less of what is wrong; and that one by
// itself accepts any depth and keys that occur twice.
Json parse_document(std::string_view text) {
  if (std::optional<Json> value = quick_parse(text)) return std::move(*value);
  // The parser takes it for the end of the text.
  if (const std::size_t place = text.find('\0'); place != std::string_view::npos) {
    refuse(fmt::format("not JSON from byte {} on", place + 1));
  }
  Builder builder;
  Json::sax_parse(text, &builder);
  return builder.take();
}

std::string read_document_text(const fs::path& path) {
  std::string text(checked_size(path), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in) refuse(path, "cannot be read");
  return text;
}

Json read_document(const fs::path& path) {
  const std::string text = read_document_text(path);
  try {
    return parse_document(text);
  } catch (const Error& error) {
    refuse(path, error.what());
  }
}

}  // namespace gpubench
