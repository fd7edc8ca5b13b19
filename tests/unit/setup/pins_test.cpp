#include "app/setup/pins.h"

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "support/catch.h"

namespace gpubench::test::pins_test {
namespace {

std::vector<std::string> list_packages(const std::string& flavor) {
  return mapped(find_pins({own_torch_build().version, flavor}, known_pins()), &Pin::package);
}

bool has(const std::vector<std::string>& list, const std::string& item) {
  return std::ranges::find(list, item) != list.end();
}

TEST_CASE("pins are read as pip reads them") {
  const std::vector<Pin> pins = pins_in(
      "# words\nalpha==1.2 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\nbeta==3 \\\n"
      "    --hash=sha256:cc\n");
  REQUIRE(pins.size() == 2);
  CHECK(pins[0].package == "alpha");
  CHECK(pins[0].version == "1.2");
  CHECK(pins[0].sha256 == std::vector<std::string>{"aa", "bb"});
  CHECK(pins[1].sha256 == std::vector<std::string>{"cc"});
}

TEST_CASE("the program has the pins of the scripts, each a SHA-256") {
  CHECK(known_pins().size() > 10);
  for (const Pin& pin : known_pins()) {
    CHECK_FALSE(pin.sha256.empty());
    for (const std::string& hash : pin.sha256) {
      CHECK(hash.size() == 64);
      CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
    }
  }
}

TEST_CASE("a LibTorch is made of what its flavour links") {
  CHECK(list_packages("slim") ==
        std::vector<std::string>{"torch", "nvidia-cuda-cupti", "nvidia-cuda-runtime"});
  CHECK(list_packages("macos") == std::vector<std::string>{"torch"});
  CHECK(has(list_packages("cuda"), "nvidia-cudnn-cu13"));
  CHECK_FALSE(has(list_packages("cuda"), "cmake"));
}

TEST_CASE("a version without pins is refused, with those that have some") {
  CHECK_THROWS_WITH(find_pins({"1.0", "slim"}, pins_in("torch==2.11.0 --hash=sha256:aa")),
                    contains_text("--torch 1.0: ") && contains_text("those of 2.11.0"));
}

}  // namespace
}  // namespace gpubench::test::pins_test
