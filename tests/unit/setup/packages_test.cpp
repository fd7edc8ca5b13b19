#include "app/setup/torch_setup.h"

#include <algorithm>

#include "../data/files.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "support/temp_dir.h"

namespace gpubench::test::packages_test {
namespace {

const Platform kLinux{"linux", "x86_64"};
const Platform kMac{"macosx", "arm64"};
const Pin kPin{"nvidia-torch", "2.1", {std::string(64, 'a'), std::string(64, 'b')}};

std::string link(const std::string& target, char digit) {
  return "<a href=\"" + target + "#sha256=" + std::string(64, digit) + "\">name</a><br/>\n";
}

const std::string kPage =
    link("https://files.example/1/nvidia_torch-2.0-py3-none-manylinux_2_28_x86_64.whl", 'c') +
    link("../../files/nvidia_torch-2.1-py3-none-manylinux_2_28_x86_64.whl", 'a') +
    link("/else/nvidia_torch-2.1%2Bx-py3-none-macosx_11_0_arm64.whl", 'b');

TEST_CASE("the file of a pin is found by its checksum among the links of a page") {
  const PinnedFile file = file_on_page(kPin, kLinux, kPage, "https://index.example/simple/nvidia-torch/");
  CHECK(file.address == "https://index.example/files/nvidia_torch-2.1-py3-none-manylinux_2_28_x86_64.whl");
  CHECK(file.file.name == "nvidia_torch-2.1-py3-none-manylinux_2_28_x86_64.whl");
  CHECK(file.file.checksum == std::string(64, 'a'));
}

TEST_CASE("each machine has a file of its own") {
  const PinnedFile file = file_on_page(kPin, kMac, kPage, "https://index.example/simple/nvidia-torch/");
  CHECK(file.address == "https://index.example/else/nvidia_torch-2.1%2Bx-py3-none-macosx_11_0_arm64.whl");
  CHECK(file.file.name == "nvidia_torch-2.1+x-py3-none-macosx_11_0_arm64.whl");
  const std::string message = catch_data_error([] {
    file_on_page(kPin, {"linux", "riscv64"}, kPage, "https://index.example/simple/nvidia-torch/");
  });
  CHECK_THAT(message, contains_text("nvidia-torch 2.1 for linux on riscv64"));
}

TEST_CASE("what is no page of links has no file") {
  for (const std::string& page : {std::string(), "#sha256=" + std::string(64, 'a'), kPage.substr(0, 40)})
    CHECK_THAT(catch_data_error([&] { file_on_page(kPin, kLinux, page, "https://index.example/simple/x/"); }),
               contains_text("https://index.example/simple/x/ has no file"));
}

TEST_CASE("in a folder the file of a pin is the one with its checksum, whatever others claim") {
  const TempDir dir;
  const std::string content = "wheel";
  const Pin pin{"nvidia-torch", "2.1", {sha256(std::as_bytes(std::span(content)))}};
  dir.file("nvidia_torch-2.1-0other-py3-none-manylinux_2_28_x86_64.whl", "not it");
  dir.file("nvidia_torch-2.1-py3-none-manylinux_2_28_x86_64.whl", content);
  const PinnedFile file = file_in_folder(pin, kLinux, dir.path().string());
  CHECK(file.address == (dir.path() / "nvidia_torch-2.1-py3-none-manylinux_2_28_x86_64.whl").string());
  CHECK(file.file.size == Bytes{5});
  CHECK_THAT(catch_data_error([&] { file_in_folder(kPin, kLinux, dir.path().string()); }),
             contains_text("has no file"));
  CHECK_THAT(catch_data_error([&] { file_in_folder(pin, kMac, (dir.path() / "none").string()); }),
             contains_text("has no file"));
}

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
}  // namespace gpubench::test::packages_test
