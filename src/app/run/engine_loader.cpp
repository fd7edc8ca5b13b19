#include "app/run/engine_loader.h"

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <string_view>

#include "app/setup/engine_files.h"
#include "device/host/host.h"
#include "device/host/host_process.h"
#include "device/host/openmp.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

extern "C" const std::byte gpubench_engine_image[];
extern "C" const std::byte gpubench_engine_image_end[];

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::pair<const char*, Allocator> kAllocators[] = {{"tuned", Allocator::kTuned},
                                                             {"system", Allocator::kSystem}};

constexpr const char* kSymbol = "gpubench_engine";

/// Loads an engine and returns its function. Throws a usage Error.
using LoadEngine = std::function<void*()>;

/// What a LibTorch of 2.11 takes before it does anything. With less the loader and LibTorch end the process
/// as they like.
constexpr Bytes kOfCpu{std::int64_t{768} << 20};
constexpr Bytes kOfCuda{std::int64_t{3} << 30};

void require_disk_room(const TorchBuild& build) {
  const Bytes needed = build.flavor == "cuda" ? kOfCuda : kOfCpu;
  const Bytes left = address_space_left();
  require(left >= needed,
          "LibTorch takes {} MiB of memory, and the limit (ulimit -v) leaves {} MiB; allow more",
          needed.value >> 20, left.value >> 20);
}

/// Whether the loader's words are of a file that is not there.
bool is_of_missing_file(const std::string& words) { return words.find("o such file") != std::string::npos; }

[[noreturn]] void fail_to_load(const TorchBuild& build, const std::string& why) {
  if (is_of_missing_file(why))
    throw Error(ErrorKind::kUsage, "LibTorch {} is not set up; run 'gpubench setup' (the engine {})",
                build.version, why);
  const bool is_of_engine = why.find("libgpubench_engine") != std::string::npos;
  throw Error(ErrorKind::kUsage, "the engine {}; free some memory, or {}", why,
              is_of_engine ? "install gpubench again" : "run 'gpubench setup'");
}

void* load_with(const fs::path& torch, const LoadEngine& load, const std::string& remedy) {
  try {
    for (const std::string& library : libraries_to_load(torch)) load_library(library);
    return load();
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "{}: {}; {}", torch.string(), error.what(), remedy);
  }
}

constexpr const char* kSetUpAgain = "run 'gpubench setup --again', or unset GPUBENCH_TORCH";

/// What `load` returns, with the LibTorch that the loader is told to take, else with the one that it finds by
/// itself, else with the one that `find` finds: an engine's libraries are found by their names where they are
/// loaded already, wherever they lie.
template <class Find>
void* load_with_torch(const TorchBuild& build, const LoadEngine& load, const Find& find) {
  if (const auto told = find_torch_of_loader())
    return load_with(*told, load,
                     "take it out of " + library_path_variable() + ", or name another one with --torch");
  try {
    return load();
  } catch (const Error& error) {
    const std::optional<fs::path> torch = is_of_missing_file(error.what()) ? find() : std::nullopt;
    if (torch) return load_with(*torch, load, kSetUpAgain);
    fail_to_load(build, error.what());
  }
}

void* named_engine(const char* path) {
  // The loader would wait for the other end of a pipe.
  std::error_code ignored;
  require(!fs::exists(path, ignored) || fs::is_regular_file(path, ignored),
          "GPUBENCH_ENGINE={}: is no regular file; unset it, or name an engine of this gpubench", path);
  // A file, where the loader would take a name without a slash for that of a library of the system.
  const bool is_there = fs::exists(path, ignored);
  const std::string file = is_there ? fs::absolute(path).string() : path;
  const auto load = [&] { return load_library(file, kSymbol); };
  std::string why;
  try {
    return load();
  } catch (const Error& error) {
    why = error.what();
  }
  const bool lacks_torch = is_of_missing_file(why) && is_there;
  if (const auto torch = lacks_torch ? find_torch_of_embedded_engine() : std::nullopt)
    return load_with(*torch, load, kSetUpAgain);
  throw Error(ErrorKind::kUsage, "GPUBENCH_ENGINE={}: {}; unset it, or name an engine of this gpubench", path,
              why);
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
    require_disk_room(installed->torch);
    return installed_engine(*installed);
  }
  const std::span image(gpubench_engine_image, gpubench_engine_image_end);
  require(!image.empty(),
          "{}: its folder ../lib/gpubench has no engine; install gpubench again, or set GPUBENCH_ENGINE",
          executable_path());
  require_disk_room(own_torch_build());
  return load_with_torch(
      own_torch_build(), [&] { return load_library(image, kSymbol); }, find_torch_of_embedded_engine);
}

const Engine& load(Allocator allocator) {
  forbid_mps_fallback(/*is_quiet=*/true);
  std::error_code failure;
  [[maybe_unused]] const fs::path here = fs::current_path(failure);
  require(failure != std::errc::no_such_file_or_directory,
          "the current folder was deleted; change to one that exists");
  if (const std::string flaw = allocator_variable_flaw(); !flaw.empty()) throw Error(ErrorKind::kUsage, flaw);
  if (allocator == Allocator::kTuned) tune_allocator();
  choose_wait_policy();
  const CoreLimits& limits = core_limits();
  return *reinterpret_cast<decltype(&gpubench_engine)>(engine_function())(limits);
}

}  // namespace

std::vector<std::string> allocator_names() {
  return mapped(kAllocators, [](const auto& known) { return known.first; });
}

Allocator allocator_named(const std::string& name) {
  for (const auto& [known, allocator] : kAllocators) {
    if (name == known) return allocator;
  }
  throw Error(ErrorKind::kUsage, "--allocator " + name + ": give tuned or system");
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

const Engine& load_engine(Allocator allocator) {
  static const Engine& engine = load(allocator);
  return engine;
}

}  // namespace gpubench
