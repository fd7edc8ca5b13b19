#include "app/run/engine_loader.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>

#include "app/setup/engine_files.h"
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
constexpr const char* kSetUpAgain = "run 'gpubench setup --force', or unset GPUBENCH_TORCH";

/// Loads an engine and returns its function. Throws a usage Error.
using LoadEngine = std::function<void*()>;

/// Throws unless `ulimit -v` leaves what LibTorch takes: with less it may end the process without a message.
void require_memory(const TorchBuild& build) {
  const Bytes needed{std::int64_t{build.flavor == "cuda" ? 3072 : 768} << 20};
  const Bytes left = address_space_left();
  require(left >= needed,
          "LibTorch takes {} MiB of memory, and the limit (ulimit -v) leaves {} MiB; allow more",
          needed.value >> 20, left.value >> 20);
}

bool is_of_missing_file(const std::string& message) {
  return message.find("o such file") != std::string::npos;
}

void* load_with(const fs::path& torch, const LoadEngine& load, const std::string& remedy) {
  try {
    for (const std::string& library : libraries_to_load(torch)) load_library(library);
    return load();
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "{}: {}; {}", torch.string(), error.what(), remedy);
  }
}

/// Tries the LibTorch of the loader, the engine, then `find`: the loader reuses loaded libraries by name.
template <class Find>
void* load_with_torch(const TorchBuild& build, const LoadEngine& load, const Find& find) {
  if (const auto named = find_torch_of_loader()) {
    return load_with(*named, load,
                     "take it out of " + library_path_variable() + ", or name another one with --torch");
  }
  try {
    return load();
  } catch (const Error& error) {
    const std::string why = error.what();
    const bool is_missing = is_of_missing_file(why);
    if (const std::optional<fs::path> torch = is_missing ? find() : std::nullopt)
      return load_with(*torch, load, kSetUpAgain);
    require(!is_missing, "LibTorch {} is not set up; run 'gpubench setup' (the engine {})", build.version,
            why);
    const bool is_of_engine = why.find("libgpubench_engine") != std::string::npos;
    throw Error(ErrorKind::kUsage, "the engine {}; free some memory, or {}", why,
                is_of_engine ? "install gpubench again" : "run 'gpubench setup'");
  }
}

void* named_engine(const char* path) {
  std::error_code ignored;
  const bool is_there = fs::exists(path, ignored);
  // The loader would wait for the other end of a pipe.
  require(!is_there || fs::is_regular_file(path, ignored),
          "GPUBENCH_ENGINE={}: is no regular file; unset it, or name an engine of this gpubench", path);
  // The loader would take a name without a slash for that of a library of the system.
  const std::string file = is_there ? fs::absolute(path).string() : path;
  const auto load = [&] { return load_library(file, kSymbol); };
  try {
    return load();
  } catch (const Error& error) {
    const bool lacks_torch = is_there && is_of_missing_file(error.what());
    if (const auto torch = lacks_torch ? find_torch_of_embedded_engine() : std::nullopt)
      return load_with(*torch, load, kSetUpAgain);
    throw Error(ErrorKind::kUsage, "GPUBENCH_ENGINE={}: {}; unset it, or name an engine of this gpubench",
                path, error.what());
  }
}

void* installed_engine(const EngineFile& engine) {
  const auto load = [&] { return load_library(engine.path, kSymbol); };
  if (!engine.is_bundled || find_torch_of_loader())
    return load_with_torch(engine.torch, load, [&] { return find_torch(engine.torch); });
  try {
    return load();
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "{}: {}; free some memory, or install gpubench again", engine.path,
                error.what());
  }
}

void* engine_function() {
  const char* const named = std::getenv("GPUBENCH_ENGINE");
  if (named != nullptr && *named != '\0') return named_engine(named);
  if (const auto installed = find_engine(executable_path())) {
    require_memory(installed->torch);
    return installed_engine(*installed);
  }
  const std::span image(gpubench_engine_image, gpubench_engine_image_end);
  require(!image.empty(),
          "{}: its folder ../lib/gpubench has no engine; install gpubench again, or set GPUBENCH_ENGINE",
          executable_path());
  require_memory(own_torch_build());
  return load_with_torch(
      own_torch_build(), [&] { return load_library(image, kSymbol); }, find_torch_of_embedded_engine);
}

const Engine& load() {
  forbid_mps_fallback(/*is_quiet=*/true);
  std::error_code failure;
  [[maybe_unused]] const fs::path here = fs::current_path(failure);
  require(failure != std::errc::no_such_file_or_directory,
          "the current folder was deleted; change to one that exists");
  if (const std::string flaw = allocator_variable_flaw(); !flaw.empty()) throw Error(ErrorKind::kUsage, flaw);
  if (allocator_setting() == "tuned") tune_allocator();
  choose_wait_policy();
  const CoreLimits& limits = core_limits();
  return *reinterpret_cast<decltype(&gpubench_engine)>(engine_function())(limits);
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
        "{} is ignored: what MPS lacks is shown as unsupported instead of being computed on the CPU in "
        "silence",
        kVariable);
  }
}

const Engine& load_engine() {
  static const Engine& engine = load();
  return engine;
}

}  // namespace gpubench
