#pragma once
// Functions on lists: transform, append, join.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace gpubench {

/// Returns `function(item)` for each item. `function` may be a member pointer. Views become strings.
template <class Items, class Function>
auto mapped(const Items& items, Function function) {
  using Made = std::decay_t<std::invoke_result_t<Function, decltype(*std::begin(items))>>;
  std::vector<std::conditional_t<std::is_convertible_v<Made, std::string>, std::string, Made>> made;
  for (const auto& item : items) made.emplace_back(std::invoke(function, item));
  return made;
}

/// Returns `item.name` for each item.
template <class Items>
std::vector<std::string> names_in(const Items& items) {
  return mapped(items, [](const auto& item) { return std::string(item.name); });
}

/// Appends `item` unless `list` contains it.
template <class Item>
void add_once(std::vector<Item>& list, const Item& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

/// Appends all items of `more`. Moves them from a temporary container, copies them from a view.
template <class Item, class Items>
void append(std::vector<Item>& list, Items&& more) {
  if constexpr (std::ranges::borrowed_range<Items>) {
    list.insert(list.end(), std::begin(more), std::end(more));
  } else {
    list.insert(list.end(), std::move_iterator(std::begin(more)), std::move_iterator(std::end(more)));
  }
}

/// Returns "a, b, c".
inline std::string join(std::span<const std::string> words, std::string_view separator = ", ") {
  std::string text;
  for (const std::string& word : words) text.append(&word == words.data() ? "" : separator).append(word);
  return text;
}

/// Returns the memory representation of `numbers`.
template <class Number>
std::vector<std::byte> to_bytes(const std::vector<Number>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gpubench
