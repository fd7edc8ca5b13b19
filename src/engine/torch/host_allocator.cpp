#include "engine/torch/host_allocator.h"

#include <cstdint>
#include <cstdlib>
#include <cstring>

#include <c10/core/CPUAllocator.h>
#include <c10/util/Exception.h>

namespace gpubench {
namespace {

/// Thread-safe. Blocks start at a cache line; the pointer of malloc() stands before them.
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

}  // namespace

void allocate_tensors_with_malloc() {
  static MallocAllocator allocator;
  c10::SetCPUAllocator(&allocator, /*priority=*/1);
}

}  // namespace gpubench
