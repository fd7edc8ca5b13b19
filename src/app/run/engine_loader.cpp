#include "app/run/engine_loader.h"

#include <cstdlib>
#include <string_view>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"

extern "C" const std::byte gpubench_engine_image[];
extern "C" const std::byte gpubench_engine_image_end[];

namespace gpubench {
namespace {

constexpr std::pair<const char*, Allocator> kAllocators[] = {{"tuned", Allocator::kTuned},
                                                             {"system", Allocator::kSystem}};

void* engine_function() {
  constexpr const char* kSymbol = "gpubench_engine";
  const char* const path = std::getenv("GPUBENCH_ENGINE");
  if (path == nullptr || *path == '\0')
    return load_library(std::span(gpubench_engine_image, gpubench_engine_image_end), kSymbol);
  try {
    return load_library(std::string(path), kSymbol);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "GPUBENCH_ENGINE={}: {}; unset it, or name an engine of this gpubench",
                path, error.what());
  }
}

const Engine& load(Allocator allocator) {
  forbid_mps_fallback(/*is_quiet=*/true);
  if (allocator == Allocator::kTuned) tune_allocator();
  return *reinterpret_cast<decltype(&gpubench_engine)>(engine_function())();
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
    say("{} is ignored: what MPS lacks is shown as unsupported instead of being computed on the CPU in "
        "silence",
        kVariable);
  }
}

const Engine& load_engine(Allocator allocator) {
  static const Engine& engine = load(allocator);
  return engine;
}

}  // namespace gpubench
