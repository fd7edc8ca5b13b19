#pragma once
// Mutations of values, keys and lines instead of bytes, so that most inputs stay readable.

#include <functional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "fuzz/target.h"

namespace gpubench::fuzz {

/// Changes bytes at random. The result has at most `most` bytes.
using ChangeBytes = std::function<std::string(std::string text, std::size_t most)>;

/// Makes one change. It depends on the seed only, if `change_bytes` is deterministic.
class Mutator {
 public:
  Mutator(Shape shape, unsigned seed, ChangeBytes change_bytes)
      : shape_(shape), random_(seed), change_bytes_(std::move(change_bytes)) {}

  /// Returns a changed input. Changes bytes if the input does not have the shape, and sometimes if it does.
  std::string changed(std::string_view input, std::size_t most);
  /// Returns `input` with a part of `other`.
  std::string crossed(std::string_view input, std::string_view other, std::size_t most);

 private:
  using Json = nlohmann::ordered_json;

  std::size_t below(std::size_t end) { return random_() % end; }
  bool is_one_in(std::size_t count) { return below(count) == 0; }
  template <class List>
  auto& one_of(List& list) {
    return list[below(list.size())];
  }

  std::string changed_json(std::string_view text, std::size_t most);
  std::string changed_lines(std::string_view text, std::size_t most);
  void change(Json& document);
  void change_members(Json& container, const std::vector<Json*>& all);
  void rename_member(Json& object);
  void change_value(Json& value);
  Json any_value();
  Json any_number();

  Shape shape_;
  std::mt19937 random_;
  ChangeBytes change_bytes_;
};

}  // namespace gpubench::fuzz
