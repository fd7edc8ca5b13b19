#pragma once
// Memory of an NVIDIA GPU, as LibTorch's allocator and as the driver see it. In builds without CUDA all of it
// is absent.

#include <cstdint>
#include <vector>

#include "gpubench/core/reading.h"
#include "gpubench/core/units.h"
#include "gpubench/record/warning.h"

namespace gpubench {

/// See the functions of the same names in Device.
class CudaMemory {
 public:
  explicit CudaMemory(int index) : index_(index) {}

  Reading<Bytes> peak_memory() const;
  Reading<Bytes> peak_reserved_memory() const;
  Reading<Bytes> held_memory() const;
  Reading<Bytes> memory_in_use() const;
  Reading<Bytes> free_memory() const;
  void reset_peak_memory();
  std::vector<Warning> memory_warnings() const;

  /// What other processes hold, where it is much.
  std::vector<Warning> warnings() const;

 private:
  [[maybe_unused]] int index_;
  [[maybe_unused]] std::int64_t retries_before_ = 0;  // Of the allocator, when peaks were last reset.
};

}  // namespace gpubench
