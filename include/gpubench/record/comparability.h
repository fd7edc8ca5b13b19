#pragma once
// Effects of a difference between two measurements on the comparison of their figures.

#include <array>
#include <cstdint>

namespace gpubench {

enum class Metric { kTime, kStartup, kMemory, kAccuracy, kEnergy };
inline constexpr std::array kAllMetrics = {Metric::kTime, Metric::kStartup, Metric::kMemory,
                                           Metric::kAccuracy, Metric::kEnergy};

/// From good to bad.
enum class Comparability : std::uint8_t {
  kComparable,
  kCaveat,   ///< Shown with a caution.
  kRefused,  ///< Not shown unless forced: the figures are of different work.
};

/// Effects of a difference on time, start-up, memory, accuracy and energy.
using Effects = std::array<Comparability, kAllMetrics.size()>;

inline constexpr Effects kNoEffect = {};
inline constexpr Effects kCaveatOnAll = {Comparability::kCaveat, Comparability::kCaveat,
                                         Comparability::kCaveat, Comparability::kCaveat,
                                         Comparability::kCaveat};
inline constexpr Effects kRefusedOnAll = {Comparability::kRefused, Comparability::kRefused,
                                          Comparability::kRefused, Comparability::kRefused,
                                          Comparability::kRefused};

}  // namespace gpubench
