#include "app/setup/package_index.h"

#include "../data/files.h"
#include "gpubench/core/io/digest.h"
#include "support/temp_dir.h"

namespace gpubench::test::package_index_test {
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

}  // namespace
}  // namespace gpubench::test::package_index_test
