#pragma once
// Lists made of lists.

#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace gpubench {

/// What `function`, or a pointer to a member, makes of each item, in their order; a name that is a literal or
/// a view becomes a string.
template <class Items, class Function>
auto mapped(const Items& items, Function function) {
  using Made = std::decay_t<std::invoke_result_t<Function, decltype(*std::begin(items))>>;
  std::vector<std::conditional_t<std::is_convertible_v<Made, std::string>, std::string, Made>> made;
  for (const auto& item : items) made.emplace_back(std::invoke(function, item));
  return made;
}

/// The names of what has a member of this name.
template <class Items>
std::vector<std::string> names_in(const Items& items) {
  return mapped(items, [](const auto& item) { return std::string(item.name); });
}

/// Puts `item` behind what `list` has, unless it is in it.
template <class Item>
void add_once(std::vector<Item>& list, const Item& item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(item);
}

/// Puts what `more` has, in its order, behind what `list` has. Moves out of a container that nobody else has,
/// and copies what a view shows.
template <class Item, class Items>
void append(std::vector<Item>& list, Items&& more) {
  if constexpr (std::ranges::borrowed_range<Items>) {
    list.insert(list.end(), std::begin(more), std::end(more));
  } else {
    list.insert(list.end(), std::move_iterator(std::begin(more)), std::move_iterator(std::end(more)));
  }
}

/// The bytes of numbers as they lie in memory.
template <class Number>
std::vector<std::byte> to_bytes(const std::vector<Number>& numbers) {
  const auto bytes = std::as_bytes(std::span(numbers));
  return {bytes.begin(), bytes.end()};
}

}  // namespace gpubench
