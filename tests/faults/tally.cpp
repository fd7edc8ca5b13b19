#include "tally.h"

#include <array>
#include <fstream>

namespace gpubench::test {

namespace {

constexpr std::array kNames = {
#define GPUBENCH_FAULT_NAME(name) #name,
#include "faults.def"
#undef GPUBENCH_FAULT_NAME
};

using Numbers = std::array<std::int64_t, kNames.size() + 1>;

}  // namespace

void clear_tally(const std::filesystem::path& path) {
  const std::string zeros(sizeof(Numbers), '\0');
  std::ofstream(path, std::ios::binary) << zeros;
}

Tally read_tally(const std::filesystem::path& path) {
  Numbers numbers{};
  std::ifstream(path, std::ios::binary).read(reinterpret_cast<char*>(numbers.data()), sizeof(numbers));
  Tally tally{{}, numbers.back()};
  for (std::size_t i = 0; i < kNames.size(); ++i) tally.calls[kNames[i]] = numbers[i];
  return tally;
}

}  // namespace gpubench::test
