#include "gpubench/core/catalog.h"

#include "support/catch.h"

namespace gpubench::test {
namespace {

struct Fruit {
  std::string name;
  int weight = 0;
};

Catalog<Fruit> fruits() { return {"fruit", {{"pear", 150}, {"apple", 120}, {"fig", 50}}}; }

std::string message_of_requiring(const std::string& name) {
  try {
    fruits().require(name, "--fruit");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kUsage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a catalog keeps its order") {
  CHECK(fruits().size() == 3);
  CHECK(fruits().names() == std::vector<std::string>{"pear", "apple", "fig"});
}

TEST_CASE("a catalog finds by the whole name") {
  const Catalog<Fruit> catalog = fruits();
  REQUIRE(catalog.find("apple") != nullptr);
  CHECK(catalog.find("apple")->weight == 120);
  CHECK(catalog.find("app") == nullptr);
  CHECK(catalog.require("fig", "--fruit").weight == 50);
}

TEST_CASE("requiring an unknown entry names the option, the kind and the nearest entry") {
  CHECK(message_of_requiring("aple") ==
        "--fruit: unknown fruit 'aple'; did you mean 'apple'? known: pear, apple, fig");
}

}  // namespace gpubench::test
