#pragma once
// Vectorized loops on LibTorch's threads, for layers that LibTorch computes slowly on a CPU.

#include <algorithm>
#include <cstdint>

#include <ATen/Parallel.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/record_function.h>
#include <c10/util/BFloat16.h>

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

// Only inlined functions take or return vectors.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

/// Values that are computed at the same time. Addresses need no alignment.
using Lanes = float __attribute__((vector_size(32)));
using LaneIntegers = std::int32_t __attribute__((vector_size(32)));
using LaneBits = std::uint32_t __attribute__((vector_size(32)));
using LaneHalves = std::uint16_t __attribute__((vector_size(16)));
using LaneBytes = std::uint8_t __attribute__((vector_size(8)));
constexpr std::int64_t kLanes = 8;

/// Returns the same bits as values of another type.
template <class To, class From>
GPUBENCH_KERNEL inline To bits_as(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

GPUBENCH_KERNEL inline Lanes load(const float* from) {
  Lanes made;
  __builtin_memcpy(&made, from, sizeof made);
  return made;
}

GPUBENCH_KERNEL inline Lanes load(const c10::BFloat16* from) {
  LaneHalves halves;
  __builtin_memcpy(&halves, from, sizeof halves);
  return bits_as<Lanes>(__builtin_convertvector(halves, LaneBits) << 16);
}

GPUBENCH_KERNEL inline LaneIntegers load(const std::uint8_t* from) {
  LaneBytes bytes;
  __builtin_memcpy(&bytes, from, sizeof bytes);
  return __builtin_convertvector(bytes, LaneIntegers);
}

GPUBENCH_KERNEL inline void store(float* to, const Lanes& values) {
  __builtin_memcpy(to, &values, sizeof values);
}

/// Rounds to the nearest value, and ties to even ones.
GPUBENCH_KERNEL inline void store(c10::BFloat16* to, const Lanes& values) {
  constexpr std::uint32_t kNan = 0x7FC0;
  const auto bits = bits_as<LaneBits>(values);
  const LaneBits rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16;
  const auto halves = __builtin_convertvector(values == values ? rounded : LaneBits{} + kNan, LaneHalves);
  __builtin_memcpy(to, &halves, sizeof halves);
}

GPUBENCH_KERNEL inline void store(std::uint8_t* to, const LaneIntegers& values) {
  const auto bytes = __builtin_convertvector(values, LaneBytes);
  __builtin_memcpy(to, &bytes, sizeof bytes);
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

/// Calls `work(part, begin, end)` for blocks of at most `most` positions that cover [0, count), in as many
/// parts as threads. LibTorch's operations in it have no gradients and are not recorded.
template <class Work>
void for_each_block(std::int64_t count, std::int64_t most, const Work& work) {
  const std::int64_t parts = at::get_num_threads();
  in_parallel(parts, 1, [&](std::int64_t first, std::int64_t last) {
    const at::NoGradGuard no_grad;
    const at::RecordFunctionGuard not_recorded(/*is_enabled=*/false);
    for (std::int64_t part = first; part < last; ++part) {
      const std::int64_t end = (part + 1) * count / parts;
      for (std::int64_t begin = part * count / parts; begin < end; begin += most)
        work(part, begin, std::min(end, begin + most));
    }
  });
}

/// Returns an operation that is registered with LibTorch.
template <class Function>
auto find_operation(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Function>();
}

}  // namespace gpubench
