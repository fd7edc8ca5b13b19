#pragma once
// Vectorized loops on LibTorch's threads, for layers that LibTorch computes slowly on a CPU.

#include <cstdint>

#include <ATen/TensorIterator.h>
#include <ATen/ops/empty.h>

#if defined(__x86_64__)
#define GPUBENCH_AVX2 __attribute__((target("avx2,fma")))
#else
#define GPUBENCH_AVX2
#endif
#if defined(__GNUC__) && !defined(__clang__)
#define GPUBENCH_VECTORIZED __attribute__((optimize("O3")))  // GCC's -O2 vectorizes few loops.
#else
#define GPUBENCH_VECTORIZED
#endif
/// Attribute of a kernel and its functions: all are compiled for the processor of vectorized().
#define GPUBENCH_KERNEL __attribute__((always_inline))

namespace gpubench {

template <class Kernel>
GPUBENCH_AVX2 GPUBENCH_VECTORIZED void run_with_avx2(const Kernel& kernel) {
  kernel();
}

template <class Kernel>
GPUBENCH_VECTORIZED void run_anywhere(const Kernel& kernel) {
  kernel();
}

/// Calls the kernel, a lambda with the attribute GPUBENCH_KERNEL, compiled for AVX2 if the processor has it.
template <class Kernel>
void vectorized(const Kernel& kernel) {
#if defined(__x86_64__)
  static const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  if (has_avx2) return run_with_avx2(kernel);
#endif
  run_anywhere(kernel);
}

/// Calls `work(begin, end)` for ranges of at least `grain` positions that cover [0, count). The calls run at
/// the same time, and LibTorch's operations in them use one thread. at::parallel_for() would be serial: this
/// code is compiled without OpenMP, since its library could differ from LibTorch's.
template <class Work>
void in_parallel(std::int64_t count, std::int64_t grain, const Work& work) {
  at::Tensor positions = at::empty({count}, at::kByte);  // Only its addresses are used.
  const auto* const first = static_cast<const char*>(positions.const_data_ptr());
  at::TensorIterator iterator = at::TensorIterator::nullary_op(positions);
  const auto loop = [&](char** data, const std::int64_t*, std::int64_t size, std::int64_t) {
    work(*data - first, *data - first + size);
  };
  iterator.for_each(loop, grain);
}

}  // namespace gpubench
