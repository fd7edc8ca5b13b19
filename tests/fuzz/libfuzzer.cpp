// Has libFuzzer drive a target.

#include <cstdint>
#include <string>

#include "fuzz/mutation.h"
#include "fuzz/target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* bytes, std::size_t size, std::size_t most);

namespace gpubench::fuzz {

/// Of a source that is made for each target.
Target target();

namespace {

std::string_view to_text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

/// By libFuzzer's own means.
std::string with_changed_bytes(std::string text, std::size_t most) {
  const std::size_t size = std::min(text.size(), most);
  text.resize(most);
  text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, most));
  return text;
}

/// An input that has grown too long is not cut, which would leave it unreadable, but left for one with
/// changed bytes.
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
