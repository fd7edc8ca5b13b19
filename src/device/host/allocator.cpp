
#include <cstdlib>
#include "device/host/host.h"

#ifdef __GLIBC__
#include <malloc.h>

#include <climits>
#endif

namespace gpubench {

#ifdef __GLIBC__
namespace {

/// Above what glibc keeps by itself: it raises its thresholds to 32 MiB for mapped blocks and to 64 MiB for
/// free memory at the end of the heap, at most.
constexpr std::size_t kLargeBlock = std::size_t{96} << 20;

/// Bytes in blocks that are not mapped by themselves, modulo 2^32: the older call counts in int.
unsigned bytes_in_arenas() {
#if __GLIBC_PREREQ(2, 33)
  return static_cast<unsigned>(mallinfo2().uordblks);
#else
  return static_cast<unsigned>(mallinfo().uordblks);
#endif
}

}  // namespace

void tune_allocator() {
  mallopt(M_MMAP_THRESHOLD, 1 << 30);
  mallopt(M_TRIM_THRESHOLD, INT_MAX);
  mallopt(M_TOP_PAD, 64 << 20);
}

std::string allocator_name() {
  const unsigned before = bytes_in_arenas();
  // Volatile, lest the compiler leaves out a block that nobody writes to.
  void* volatile const block = std::malloc(kLargeBlock);
  const unsigned taken = bytes_in_arenas() - before;
  std::free(block);
  return block != nullptr && taken >= kLargeBlock ? "tuned" : "system";
}
#else
void tune_allocator() {}
std::string allocator_name() { return "system"; }
#endif

}  // namespace gpubench
