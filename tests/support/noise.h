#pragma once
// Random numbers for simulations.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>

namespace gpubench::test {

/// Random numbers that are equal with every standard library.
class Noise {
 public:
  explicit Noise(std::uint64_t seed) : random_(seed) {}

  double uniform() { return (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53; }

  double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

  /// Returns an index below `bound`. Its small modulo bias does not matter here.
  std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

 private:
  std::mt19937_64 random_;
};

}  // namespace gpubench::test
