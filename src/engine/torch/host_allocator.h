#pragma once
// Host memory of LibTorch's tensors.

namespace gpubench {

/// Makes LibTorch take the memory of tensors on the CPU from malloc() instead of posix_memalign(): glibc
/// needs more room to align a block than the block has after it is freed, so steps of equal sizes would
/// fragment the heap. Call before tensors are created. Idempotent and permanent.
void allocate_tensors_with_malloc();

}  // namespace gpubench
