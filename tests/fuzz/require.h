#pragma once
// What a fuzz target demands.

#include <cstdio>
#include <cstdlib>

namespace gpubench::fuzz {

/// Ends the process, which libFuzzer takes for a find, unless `is_so`.
inline void require(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "not so: %s\n", what);
  std::abort();
}

}  // namespace gpubench::fuzz
