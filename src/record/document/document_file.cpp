#include "record/document/document_file.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "gpubench/core/collect.h"
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

/// Keys that come twice are refused. Looks by hash first, since few keys share one and sorting numbers is
/// cheap.
void refuse_twins(const Members& members) {
  const auto hash = [](const auto& member) { return std::hash<std::string>()(member.first); };
  std::vector<std::size_t> hashes = mapped(members, hash);
  std::ranges::sort(hashes);
  if (std::ranges::adjacent_find(hashes) == hashes.end()) return;
  std::vector<std::string> names = mapped(members, &Members::value_type::first);
  std::ranges::sort(names);
  const auto twin = std::ranges::adjacent_find(names);
  if (twin != names.end()) refuse(fmt::format("holds the key {} twice in an object", json_text(*twin)));
}

Members& members_of(Json& object) { return object.get_ref<Json::object_t&>(); }

/// nlohmann's parser tells what has a sign from what has none.
Json whole(std::int64_t number) {
  if (number < 0) return number;
  return static_cast<std::uint64_t>(number);
}

/// Moves what simdjson found into nlohmann's values, which the rest of the program reads.
Json converted(const dom::element& element);

Json converted_list(const dom::array& items) {
  Json::array_t list;
  list.reserve(items.size());
  for (const dom::element item : items) list.push_back(converted(item));
  return list;
}

Json converted_object(const dom::object& items) {
  Json object = Json::object();
  Members& members = members_of(object);
  members.reserve(items.size());
  for (const dom::key_value_pair item : items) {
    members.emplace_back(std::string(item.key), converted(item.value));
  }
  refuse_twins(members);
  return object;
}

Json converted(const dom::element& element) {
  switch (element.type()) {
    case dom::element_type::OBJECT:
      return converted_object(element.get_object().value_unsafe());
    case dom::element_type::ARRAY:
      return converted_list(element.get_array().value_unsafe());
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

/// The value in `text`; nothing where it is wrong or rare: parse_document() then looks closer.
std::optional<Json> quick_parse(std::string_view text) {
  dom::parser parser;
  if (parser.allocate(text.size(), kDeepestDocument) != simdjson::SUCCESS) return std::nullopt;
  dom::element root;
  if (parser.parse(text.data(), text.size()).get(root) != simdjson::SUCCESS) return std::nullopt;
  return converted(root);
}

/// Takes what nlohmann's parser finds, in order, and builds the value from it.
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

  bool start_object(std::size_t /*size*/) { return open(Json::object()); }
  bool start_array(std::size_t /*size*/) { return open(Json::array()); }

  bool key(Text& name) {
    members_of(*open_.back()).emplace_back(std::move(name), nullptr);
    return true;
  }

  bool end_object() {
    refuse_twins(members_of(*open_.back()));
    return close();
  }

  bool end_array() { return close(); }

  bool parse_error(std::size_t position, const Text& /*token*/, const Json::exception& error) {
    if (error.id == 406) refuse(fmt::format("the number before byte {} is too large", position));
    refuse(fmt::format("not JSON from byte {} on", position));
  }

 private:
  /// Where the next value goes.
  Json& slot() {
    if (open_.empty()) return root_;
    Json& parent = *open_.back();
    if (parent.is_object()) return members_of(parent).back().second;
    return parent.get_ref<Json::array_t&>().emplace_back();
  }

  bool add(Json value) {
    slot() = std::move(value);
    return true;
  }

  bool open(Json value) {
    if (open_.size() == kDeepestDocument) {
      refuse(fmt::format("nests lists and objects deeper than {} levels", kDeepestDocument));
    }
    Json& place = slot();
    place = std::move(value);
    open_.push_back(&place);
    return true;
  }

  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;  // From the outermost on; what is open does not move.
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
