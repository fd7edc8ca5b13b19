#include "app/setup/libtorch.h"

#include <cstdlib>

#include "../data/files.h"
#include "../data/tar_gz.h"
#include "gpubench/core/io/digest.h"
#include "support/fake_http_server.h"
#include "support/temp_dir.h"

namespace gpubench::test::torch_setup_test {
namespace {

namespace fs = std::filesystem;

const std::string kTorch = "torch-9.9-cp312-cp312-manylinux_2_28_x86_64.whl";
const std::string kCudart = "nvidia_cuda_runtime-13.0-py3-none-manylinux_2_28_x86_64.whl";
const TorchBuild kSlim{"9.9", "slim"};

std::string torch_wheel() {
  return zip({{"torch/lib/libtorch_cpu.so", "cpu"},
              {"torch/lib/libtorch_cuda.so", "cuda"},
              {"torch/lib/libtorch_python.so", "python"},
              {"torch/include/torch/torch.h", "header"},
              {"torch/nn/module.py", "module"},
              {"functorch/x.py", "x"},
              {"torch-9.9.dist-info/LICENSE", "licence"}});
}

std::string cudart_wheel() { return zip({{"nvidia/cu13/lib/libcudart.so.13", "cudart"}}); }

std::string checksum(const std::string& bytes) { return sha256(std::as_bytes(std::span(bytes))); }

std::string make_page(const std::string& name, const std::string& bytes) {
  return "<a href=\"../files/" + name + "#sha256=" + checksum(bytes) + "\">" + name + "</a>";
}

/// A package index with a LibTorch of two files, and a cache for the test.
struct Setting {
  Setting() {
    setenv("XDG_CACHE_HOME", dir.path().c_str(), 1);
    source.place = server.url() + "/simple";
    source.platform = {"linux", "x86_64"};
    source.pins = {{"torch", "9.9", {checksum(torch_wheel())}},
                   {"nvidia-cuda-runtime", "13.0", {checksum(cudart_wheel())}}};
    server.serve("simple/torch/", make_page(kTorch, torch_wheel()));
    server.serve("simple/nvidia-cuda-runtime/", make_page(kCudart, cudart_wheel()));
    server.serve("simple/files/" + kTorch, torch_wheel());
    server.serve("simple/files/" + kCudart, cudart_wheel());
  }
  ~Setting() { former ? setenv("XDG_CACHE_HOME", former->c_str(), 1) : unsetenv("XDG_CACHE_HOME"); }

  fs::path folder() const { return dir.path() / "gpubench" / "libtorch-9.9-slim"; }
  std::string error() const {
    return catch_data_error([&] { set_up_torch(kSlim, source); });
  }
  /// Fails the test if a complete or partial LibTorch exists.
  void check_no_leftovers() const {
    CHECK_FALSE(is_set_up(kSlim));
    CHECK_FALSE(fs::exists(folder()));
    CHECK_FALSE(fs::exists(dir.path() / "gpubench" / "setup" / "site"));
  }

  std::optional<std::string> former = std::getenv("XDG_CACHE_HOME")
                                          ? std::optional<std::string>(std::getenv("XDG_CACHE_HOME"))
                                          : std::nullopt;
  TempDir dir;
  FakeHttpServer server;
  TorchSource source;
};

TEST_CASE("setup installs LibTorch from a package index, without files that gpubench does not need") {
  Setting setting;
  CHECK(set_up_builds().empty());
  set_up_torch(kSlim, setting.source);
  CHECK(set_up_builds() == std::vector<TorchBuild>{kSlim});
  CHECK(read_content(setting.folder() / "torch/lib/libtorch_cpu.so") == "cpu");
  CHECK(read_content(setting.folder() / "torch/include/torch/torch.h") == "header");
  CHECK(read_content(setting.folder() / "nvidia/cu13/lib/libcudart.so.13") == "cudart");
  CHECK(read_content(setting.folder() / "torch-9.9.dist-info/LICENSE") == "licence");
  CHECK(fs::exists(setting.folder() / "gpubench-slim"));
  for (const char* left_out :
       {"torch/lib/libtorch_cuda.so", "torch/lib/libtorch_python.so", "torch/nn", "functorch"})
    CHECK_FALSE(fs::exists(setting.folder() / left_out));
  CHECK_FALSE(fs::exists(setting.dir.path() / "gpubench/setup" / kTorch));
}

TEST_CASE("setup downloads an installed LibTorch once, and remove deletes it") {
  Setting setting;
  set_up_torch(kSlim, setting.source);
  const std::size_t asked = setting.server.ranges_asked().size();
  set_up_torch(kSlim, setting.source);
  CHECK(setting.server.ranges_asked().size() == asked);
  setting.dir.file("gpubench/setup/other.whl.part", "half");
  remove_torch(kSlim);
  CHECK(set_up_builds().empty());
  CHECK_FALSE(fs::exists(setting.dir.path() / "gpubench/setup/other.whl.part"));
  CHECK_THROWS_WITH(remove_torch(kSlim), contains_text("is not set up"));
}

TEST_CASE("a failed download leaves only a file that can be resumed") {
  struct Case {
    HttpFaults faults;
    const char* words;
  };
  for (const Case& bad : {Case{{.status = 404}, "the server answered 404; check --from"},
                          Case{{.missing_bytes = 3}, "the partial file is kept"},
                          Case{{.extra_bytes = 5}, "--from"}, Case{{.flips_last_byte = true}, "--from"}}) {
    Setting setting;
    setting.server.misbehave(bad.faults);
    CHECK_THAT(setting.error(), contains_text(bad.words));
    setting.check_no_leftovers();
    setting.server.misbehave({});
    set_up_torch(kSlim, setting.source);
    CHECK(is_set_up(kSlim));
  }
}

TEST_CASE("setup installs LibTorch from a folder of packages") {
  Setting setting;
  const TempDir files;
  files.file(kTorch, torch_wheel());
  files.file(kCudart, cudart_wheel());
  setting.source.place = files.path().string();
  set_up_torch(kSlim, setting.source);
  CHECK(is_set_up(kSlim));
  CHECK(fs::exists(files.path() / kTorch));
  CHECK(setting.server.ranges_asked().empty());
}

TEST_CASE("an archive that writes outside its folder is an error") {
  Setting setting;
  const std::string wheel = zip({{"torch/lib/../../../../escaped", "x"}});
  setting.source.pins.front().sha256 = {checksum(wheel)};
  setting.server.serve("simple/torch/", make_page(kTorch, wheel));
  setting.server.serve("simple/files/" + kTorch, wheel);
  CHECK_THAT(setting.error(), contains_text("a path outside of its folder"));
  setting.check_no_leftovers();
  CHECK_FALSE(fs::exists(setting.dir.path() / "escaped"));
}

TEST_CASE("a LibTorch that other users can write to is ignored and replaced") {
  Setting setting;
  set_up_torch(kSlim, setting.source);
  fs::permissions(setting.folder(), fs::perms::others_write, fs::perm_options::add);
  CHECK_FALSE(is_set_up(kSlim));
  set_up_torch(kSlim, setting.source);
  CHECK(is_set_up(kSlim));
}

TEST_CASE("a forced download replaces the existing LibTorch after it is complete") {
  Setting setting;
  set_up_torch(kSlim, setting.source);
  setting.dir.file("gpubench/libtorch-9.9-slim/torch/lib/libtorch_cpu.so", "damaged");
  setting.server.misbehave({.status = 503});
  CHECK_THROWS_AS(set_up_torch(kSlim, setting.source, /*is_again=*/true), Error);
  CHECK(is_set_up(kSlim));
  setting.server.misbehave({});
  set_up_torch(kSlim, setting.source, /*is_again=*/true);
  CHECK(read_content(setting.folder() / "torch/lib/libtorch_cpu.so") == "cpu");
}

TEST_CASE("a version or platform without packages is an error") {
  Setting setting;
  CHECK_THROWS_WITH(set_up_torch({"1.0", "slim"}, setting.source),
                    contains_text("--torch 1.0: ") && contains_text("choose 9.9"));
  setting.source.platform = {"linux", "riscv64"};
  CHECK_THAT(setting.error(), contains_text("has no file of torch 9.9 for linux on riscv64"));
  setting.source.place = setting.dir.path().string();
  CHECK_THAT(setting.error(), contains_text("has no file of torch 9.9"));
  setting.server.serve("simple/torch/", kTorch + "#sha256=" + checksum(torch_wheel()));
  setting.source.place = setting.server.url() + "/simple/";
  CHECK_THAT(setting.error(), contains_text("simple/torch/: has no file"));
}

TEST_CASE("setup ignores packages with a wrong checksum or for another platform") {
  Setting setting;
  const std::string page =
      make_page("torch-9.9-cp312-cp312-macosx_11_0_arm64.whl", "other") + make_page(kTorch, torch_wheel());
  setting.server.serve("simple/torch/", page);
  set_up_torch(kSlim, setting.source);
  CHECK(is_set_up(kSlim));
}

TEST_CASE("the program has a pinned SHA-256 for every package") {
  CHECK(known_pins().size() > 10);
  for (const Pin& pin : known_pins()) {
    for (const std::string& hash : pin.sha256) CHECK_THAT(hash, Catch::Matchers::Matches("[0-9a-f]{64}"));
  }
}

TEST_CASE("the version of a LibTorch is read from its headers") {
  const TempDir dir;
  CHECK(torch_version_in(dir.path()).empty());
  dir.file("include/torch/headeronly/version.h",
           "#define TORCH_VERSION_MAJOR 2\n#define TORCH_VERSION_MINOR 11\n#define TORCH_VERSION_PATCH "
           "0\n#define TORCH_VERSION \\\n");
  CHECK(torch_version_in(dir.path()) == "2.11.0");
}

}  // namespace
}  // namespace gpubench::test::torch_setup_test
