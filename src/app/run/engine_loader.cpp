#include "app/run/engine_loader.h"

#include <cstdlib>

#include "device/host/host.h"
#include "device/host/host_process.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"

extern "C" const std::byte gpubench_engine_image[];
extern "C" const std::byte gpubench_engine_image_end[];

namespace gpubench {
namespace {

constexpr std::pair<const char*, Allocator> kAllocators[] = {{"tuned", Allocator::kTuned},
                                                             {"system", Allocator::kSystem}};

void* engine_function() {
  constexpr const char* kSymbol = "gpubench_engine";
  if (const char* path = std::getenv("GPUBENCH_ENGINE")) return load_library(std::string(path), kSymbol);
  return load_library(std::span(gpubench_engine_image, gpubench_engine_image_end), kSymbol);
}

const Engine& load(Allocator allocator) {
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

const Engine& load_engine(Allocator allocator) {
  static const Engine& engine = load(allocator);
  return engine;
}

}  // namespace gpubench
