#include "gpubench/core/collect.h"

#include <span>
#include <string>

#include "support/catch.h"

using namespace gpubench;

TEST_CASE("what is appended out of a view or a named list stays where it was") {
  std::vector<std::string> source(2, std::string(100, 'x'));
  std::vector<std::string> list;
  append(list, std::span(source));
  append(list, source);
  CHECK(list == std::vector<std::string>(4, std::string(100, 'x')));
  CHECK(source == std::vector<std::string>(2, std::string(100, 'x')));
}

TEST_CASE("lists are made of members, of results and of names that are literals") {
  struct Thing {
    const char* name;
    int size;
  };
  const std::vector<Thing> things{{"a", 1}, {"b", 2}};
  CHECK(mapped(things, &Thing::size) == std::vector{1, 2});
  CHECK(mapped(things, [](const Thing& thing) { return 2 * thing.size; }) == std::vector{2, 4});
  CHECK(names_in(things) == std::vector<std::string>{"a", "b"});
}

TEST_CASE("what is in a list already is not added again") {
  std::vector<std::string> list{"a"};
  for (const char* word : {"a", "b", "b"}) add_once(list, std::string(word));
  CHECK(list == std::vector<std::string>{"a", "b"});
}
