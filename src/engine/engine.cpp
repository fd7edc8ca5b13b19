#include "engine/api/engine.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

#include "device/host/host.h"
#include "gpubench/op.h"
#include "workloads/cases/runner.h"
#include "workloads/op/op_run.h"
#include "workloads/selftest/check.h"

namespace gpubench {
namespace {

/// Host memory of tensors from malloc() instead of posix_memalign(): glibc needs more room to align a block
/// than the block has after it is freed, so steps of equal sizes would fragment the heap. Blocks start at a
/// cache line; the pointer of malloc() stands before them. Thread-safe.
class MallocAllocator : public c10::Allocator {
 public:
  c10::DataPtr allocate(std::size_t size) override {
    void* const block = size == 0 ? nullptr : aligned(size);
    c10::profiledCPUMemoryReporter().New(block, size);
    return {block, block, &release, c10::Device(c10::kCPU)};
  }
  c10::DeleterFnPtr raw_deleter() const override { return &release; }
  void copy_data(void* to, const void* from, std::size_t size) const override { std::memcpy(to, from, size); }

 private:
  static constexpr std::size_t kCacheLine = 64;

  static void* aligned(std::size_t size) {
    static_assert(alignof(std::max_align_t) >= sizeof(void*));  // So that a pointer fits before the block.
    auto* const memory = static_cast<char*>(std::malloc(size + kCacheLine));
    TORCH_CHECK(memory != nullptr, "can't allocate memory: you tried to allocate ", size, " bytes");
    char* const block = memory + kCacheLine - reinterpret_cast<std::uintptr_t>(memory) % kCacheLine;
    std::memcpy(block - sizeof(memory), &memory, sizeof(memory));
    return block;
  }

  static void release(void* block) {
    if (block == nullptr) return;
    c10::profiledCPUMemoryReporter().Delete(block);
    char* memory = nullptr;
    std::memcpy(&memory, static_cast<char*>(block) - sizeof(memory), sizeof(memory));
    std::free(memory);
  }
};

Engine torch_engine(const CoreLimits& limits) {
  const auto asked = std::make_shared<int>(0);  // Threads of the last `configure` call.
  const auto op_named = [](const std::string& name) -> const OpEntry& { return ops().require(name, "--op"); };
  return {
      .models = models,
      .device_kinds = device_kinds,
      .usable_devices = usable_devices,
      .resolve_device = resolve_device,
      .open_device = open_device,
      .read_environment =
          [limits, asked] {
            Environment environment = read_environment(limits);
            if (*asked > 0 && environment.threads >= *asked) environment.threads_note.clear();
            return environment;
          },
      .model_cost = [](const std::string& model) { return model_cost(models().require(model, "--model")); },
      .step_costs = step_costs,
      .estimate_memory = estimate_memory,
      .configure =
          [limits, asked](int threads) {
            limit_openblas_threads();
            *asked = threads;
            return set_threads(threads, limits);
          },
      .known_modes = known_modes,
      .try_modes = try_modes,
      .run_case = run_case,
      .run_pilot = run_pilot,
      .measure_peak = measure_peak,
      .check_operation = [op_named](const std::string& name,
                                    const OpCase& sizes) { check_sizes(op_named(name), sizes); },
      .run_operation = [op_named](
                           const OpPoint& point, Device& device,
                           const Clock& clock) { return run_op(op_named(point.op), point, device, clock); },
      .join_network = join_network,
      .checks = [] { return std::vector<CheckInfo>(checks().begin(), checks().end()); },
      .run_check =
          [](const std::string& name, Device& device, const Clock& clock, const SelftestMeans& means) {
            Subject subject(device, clock, means);
            return run_check(checks().require(name, "--only"), subject);
          }};
}

}  // namespace
}  // namespace gpubench

extern "C" const gpubench::Engine* gpubench_engine(const gpubench::CoreLimits& limits) {
  static gpubench::MallocAllocator allocator;
  if (gpubench::allocator_name() == "tuned") c10::SetCPUAllocator(&allocator, /*priority=*/1);
  static const gpubench::Engine engine = gpubench::torch_engine(limits);
  return &engine;
}
