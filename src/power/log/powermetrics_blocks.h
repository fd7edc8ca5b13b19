#pragma once
// Samples of Apple's powermetrics, which it writes as text or as property lists.

#include <array>
#include <optional>
#include <vector>

#include "power/log/trace_collector.h"

namespace gpubench {

/// Parts of the chip. Combined is CPU, GPU and Neural Engine; Package is what macOS before 13 reports.
enum class PowermetricsRail { kGpu, kCpu, kDram, kCombined, kPackage };
inline constexpr std::size_t kPowermetricsRails = 5;

/// Powers over one stretch of time, which ends with the stamp.
struct PowermetricsBlock {
  CoarseStamp stamp;
  std::size_t line = 0;
  std::array<std::optional<Watts>, kPowermetricsRails> watts{};
  std::optional<Hertz> gpu_clock{};

  std::optional<Watts>& operator[](PowermetricsRail rail) { return watts[static_cast<std::size_t>(rail)]; }
};

/// Adds a trace for each rail that any block has.
void add_blocks(const std::vector<PowermetricsBlock>& blocks, TraceCollector& collector);

}  // namespace gpubench
