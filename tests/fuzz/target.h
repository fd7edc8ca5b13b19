#pragma once
// Interface of fuzz targets: readers of external input.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "gpubench/core/error.h"

namespace gpubench::fuzz {

/// Structure of the inputs, for mutations that keep most inputs readable.
enum class Shape { kBytes, kLines, kJson, kJsonLines };

/// A target. An input for several readers has one line for each.
struct Target {
  Shape shape;
  /// Reads the input, and aborts if the reader violates a requirement. Keeps no state between calls.
  void (*run)(std::string_view input);
};

/// Aborts, which libFuzzer reports as a finding, unless `is_true`.
inline void require(bool is_true, const char* what) {
  if (is_true) return;
  std::fprintf(stderr, "check failed: %s\n", what);
  std::abort();
}

/// Returns whether `read` accepts its input. It may only reject it with an Error of the kinds in `refusals`.
template <class Read>
bool accepts(std::initializer_list<ErrorKind> refusals, Read read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    const bool is_promised = std::find(refusals.begin(), refusals.end(), error.kind()) != refusals.end();
    require(is_promised, error.what());
    return false;
  }
}

/// Returns whether `read` accepts a file. It may only reject it with a data Error.
template <class Read>
bool accepts(Read read) {
  return accepts({ErrorKind::kData}, read);
}

}  // namespace gpubench::fuzz
