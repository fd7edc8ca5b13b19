#include "gpubench/host.h"

#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>

#include <climits>
#endif

namespace gpubench {

#ifdef __GLIBC__
std::string tune_allocator() {
  const bool is_done = mallopt(M_MMAP_THRESHOLD, 1 << 30) == 1 && mallopt(M_TRIM_THRESHOLD, INT_MAX) == 1 &&
                       mallopt(M_TOP_PAD, 64 << 20) == 1;
  return is_done ? "tuned" : "system";
}
#else
std::string tune_allocator() { return "system"; }
#endif

}  // namespace gpubench
