#pragma once
// A reader of what comes from outside, as fuzzing and the replay of the corpus call it.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "gpubench/core/error.h"

namespace gpubench::fuzz {

/// What inputs are made of, so that a changed one is still read for the most part.
enum class Shape { kBytes, kLines, kJson, kJsonLines };

/// An input for several readers has a line, or a document a line, for each.
struct Target {
  Shape shape;
  /// Reads the input, and ends the process where the reader breaks a promise. Nothing stays of a call.
  void (*run)(std::string_view input);
};

/// Ends the process, which libFuzzer takes for a find, unless `is_true`.
inline void require(bool is_true, const char* what) {
  if (is_true) return;
  std::fprintf(stderr, "check failed: %s\n", what);
  std::abort();
}

/// Whether `read` takes its input. It may refuse it with an Error of one of these kinds, and with nothing
/// else.
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

/// The same of files: what is wrong with one is a data Error.
template <class Read>
bool accepts(Read read) {
  return accepts({ErrorKind::kData}, read);
}

}  // namespace gpubench::fuzz
