#include "record/document/quick_parse.h"

#include <algorithm>
#include <vector>

#include <simdjson.h>

#include "record/document/document_file.h"

namespace gpubench {
namespace {

namespace dom = simdjson::dom;

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
    // The list under the ordered map, to which a member can be added without a search for its key.
    Json::object_t::Container& list = object.get_ref<Json::object_t&>();
    list.reserve(members.size());
    for (const dom::key_value_pair member : members) {
      list.emplace_back(std::string(member.key), converted(member.value));
    }
    has_twins_ |= holds_twins(list);
    return object;
  }

  /// By hash, since few keys share one and sorting numbers is cheap.
  bool holds_twins(const Json::object_t::Container& members) {
    hashes_.clear();
    for (const auto& member : members) hashes_.push_back(std::hash<std::string>()(member.first));
    std::sort(hashes_.begin(), hashes_.end());
    return std::adjacent_find(hashes_.begin(), hashes_.end()) != hashes_.end();
  }

  std::vector<std::size_t> hashes_;
  bool has_twins_ = false;
};

}  // namespace

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

}  // namespace gpubench
