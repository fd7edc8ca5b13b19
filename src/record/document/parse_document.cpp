// JSON from text that anyone may have written. simdjson is three times as fast as nlohmann's parser, but says
// less of what is wrong; and that one by itself accepts any depth and keys that occur twice.

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "record/document/document_file.h"
#include "record/document/quick_parse.h"

namespace gpubench {
namespace {

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorKind::kData, what); }

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
    require_distinct(members);
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
  using Members = Json::object_t::Container;

  /// The list under the ordered map, to which a member can be added without a search for its key.
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

  /// By hash, since few keys share one and sorting numbers is cheap.
  void require_distinct(const Members& members) {
    hashes_.clear();
    for (const auto& member : members) hashes_.push_back(std::hash<std::string>()(member.first));
    std::sort(hashes_.begin(), hashes_.end());
    if (std::adjacent_find(hashes_.begin(), hashes_.end()) != hashes_.end()) find_twin(members);
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
  std::vector<std::size_t> hashes_;
};

}  // namespace

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

}  // namespace gpubench
