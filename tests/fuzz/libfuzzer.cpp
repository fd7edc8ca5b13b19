// Connects a target with libFuzzer.

#include <cstdint>
#include <string>

#include "fuzz/mutation.h"
#include "fuzz/target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

namespace gpubench::fuzz {

/// Defined in a source that CMake generates for each target.
Target target();

namespace {

std::string_view to_text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// Changes bytes with libFuzzer's mutator.
std::string with_changed_bytes(std::string text, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  text.resize(most);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, most));
  return text;
}

/// Copies the changed input. If it is too long, changes bytes of the former input instead, because a
/// truncated input would be unreadable.
std::size_t put(std::string changed, std::string_view former, std::uint8_t* out, std::size_t most) {
  if (changed.size() > most) changed = with_changed_bytes(std::string(former), most);
  std::copy(changed.begin(), changed.end(), out);
  return changed.size();
}

}  // namespace
}  // namespace gpubench::fuzz

using namespace gpubench::fuzz;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  target().run(to_text(bytes, size));
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* bytes, std::size_t size, std::size_t most,
                                               unsigned seed) {
  const std::string former(to_text(bytes, size));
  Mutator mutator(target().shape, seed, with_changed_bytes);
  return put(mutator.changed(former, most), former, bytes, most);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* first, std::size_t first_size,
                                                 const std::uint8_t* second, std::size_t second_size,
                                                 std::uint8_t* out, std::size_t most, unsigned seed) {
  Mutator mutator(target().shape, seed, with_changed_bytes);
  const std::string_view former = to_text(first, first_size);
  return put(mutator.crossed(former, to_text(second, second_size), most), former, out, most);
}
