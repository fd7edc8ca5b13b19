#pragma once
// How often a source is worth reading.

#include <cstddef>
#include <optional>
#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench::power {

/// Learns from what one source shows how often it is updated, and what reading it costs.
class Pace {
 public:
  /// `share`: the part of a core that reading this source may take.
  explicit Pace(double share) : share_(share) {}

  /// A reading was made at `time` and took `cost` of processor time.
  void note(Seconds time, const PowerReading& reading, Seconds cost);
  /// Until the next reading.
  Seconds period() const;

 private:
  void note_value(Seconds time, double value);
  double wanted() const;

  double share_;
  double cost_ = 0;  ///< Mean of the readings after the first.
  std::size_t readings_ = 0;
  std::optional<Seconds> start_;
  Seconds last_{0};
  std::optional<double> value_;
  std::optional<Seconds> changed_;
  std::vector<double> between_changes_;  ///< The latest ones, in a ring.
  std::size_t oldest_ = 0;
};

}  // namespace gpubench::power
