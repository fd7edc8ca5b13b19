#include "app/run/engine_loader.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>

#include "app/setup/libtorch.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

extern "C" const std::byte gpubench_engine_image[];
extern "C" const std::byte gpubench_engine_image_end[];

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSymbol = "gpubench_engine";

/// An engine, and a way to find its LibTorch.
struct EngineSource {
  std::string name;             ///< For messages.
  std::function<void*()> load;  ///< Returns the entry point. Throws a usage Error.
  std::function<std::optional<fs::path>()>
      find_torch;  ///< Called if the loader does not find LibTorch itself.
  std::string remedy = "free some memory, or install gpubench again";
};

/// Throws if `ulimit -v` leaves too little memory for LibTorch, which may then abort without a message.
void require_memory(const TorchBuild& build) {
  const Bytes needed{std::int64_t{build.flavor == "cuda" ? 3072 : 768} << 20};
  const Bytes left = address_space_left();
  require(left >= needed, "LibTorch: needs {} MiB of memory, but 'ulimit -v' leaves {} MiB; raise the limit",
          needed.value >> 20, left.value >> 20);
}

std::optional<fs::path> require_torch(const std::optional<fs::path>& torch) {
  require(torch.has_value(), "LibTorch {}: is not set up; run 'gpubench setup'", own_torch_build().version);
  return torch;
}

EngineSource named_engine(const char* path) {
  std::error_code ignored;
  const bool is_there = fs::exists(path, ignored);
  // The loader would wait for a writer if this were a pipe.
  require(!is_there || fs::is_regular_file(path, ignored),
          "GPUBENCH_ENGINE={}: is not a regular file; unset it, or name an engine of this gpubench", path);
  // The loader would search the system's folders for a name without a slash.
  const std::string file = is_there ? fs::absolute(path).string() : path;
  return {std::string("GPUBENCH_ENGINE=") + path, [file] { return load_library(file, kSymbol); },
          [is_there] { return is_there ? find_torch_for_embedded_engine() : std::nullopt; },
          "unset it, or name an engine of this gpubench"};
}

EngineSource find_source() {
  const char* const named = std::getenv("GPUBENCH_ENGINE");
  if (named != nullptr && *named != '\0') return named_engine(named);
  if (const auto installed = find_engine()) {
    require_memory(installed->torch);
    const auto find = [engine = *installed] {
      return engine.is_bundled ? std::nullopt : require_torch(find_torch(engine.torch));
    };
    return {installed->path, [path = installed->path] { return load_library(path, kSymbol); }, find};
  }
  const std::span image(gpubench_engine_image, gpubench_engine_image_end);
  require(!image.empty(),
          "{}: has no engine in ../lib/gpubench; install gpubench again, or set GPUBENCH_ENGINE",
          executable_path());
  require_memory(own_torch_build());
  return {"engine", [image] { return load_library(image, kSymbol); },
          [] { return require_torch(find_torch_for_embedded_engine()); }};
}

/// Loads the engine with the LibTorch on the library path, else with the one that the loader finds, else with
/// one that is set up. LibTorch is loaded first, since the loader reuses loaded libraries by name.
void* load_function(const EngineSource& engine) {
  std::optional<fs::path> torch = find_torch_on_library_path();
  std::string remedy = "remove it from " + library_path_variable() + ", or name another one with --torch";
  if (!torch) {
    try {
      return engine.load();
    } catch (const Error& error) {
      const bool is_missing = std::string_view(error.what()).find("o such file") != std::string_view::npos;
      if (is_missing) torch = engine.find_torch();
      if (!torch) throw Error(ErrorKind::kUsage, "{}: {}; {}", engine.name, error.what(), engine.remedy);
      remedy = "run 'gpubench setup --force', or unset GPUBENCH_TORCH";
    }
  }
  try {
    for (const std::string& library : libraries_to_load(*torch)) load_library(library);
    return engine.load();
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "{}: {}; {}", torch->string(), error.what(), remedy);
  }
}

const Engine& load() {
  forbid_mps_fallback(/*is_quiet=*/true);
  std::error_code failure;
  [[maybe_unused]] const fs::path here = fs::current_path(failure);
  require(failure != std::errc::no_such_file_or_directory,
          "current folder: was deleted; change to an existing folder");
  if (const std::string flaw = allocator_variable_flaw(); !flaw.empty()) throw Error(ErrorKind::kUsage, flaw);
  if (allocator_setting() == "tuned") tune_allocator();
  choose_wait_policy();
  const CoreLimits& limits = core_limits();
  return *reinterpret_cast<decltype(&gpubench_engine)>(load_function(find_source()))(limits);
}

}  // namespace

std::string allocator_setting(const std::string& usual) {
  const char* const variable = std::getenv("GPUBENCH_ALLOCATOR");
  const std::string name = variable == nullptr || *variable == '\0' ? usual : variable;
  require(name == "tuned" || name == "system", "GPUBENCH_ALLOCATOR={}: give tuned or system", name);
  return name;
}

void forbid_mps_fallback(bool is_quiet) {
  constexpr const char* kVariable = "PYTORCH_ENABLE_MPS_FALLBACK";
  const char* const value = std::getenv(kVariable);
  const bool was_on = value != nullptr && std::string_view(value) != "0";
  unsetenv(kVariable);
  if (was_on && !is_quiet) {
    log_info(
        "{}: ignored; operations that MPS lacks are reported as unsupported instead of running on the CPU",
        kVariable);
  }
}

const Engine& load_engine() {
  static const Engine& engine = load();
  return engine;
}

}  // namespace gpubench
