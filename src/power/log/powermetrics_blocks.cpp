#include "power/log/powermetrics_blocks.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpubench/core/collect.h"

namespace gpubench {
namespace {

struct Rail {
  const char* part;
  const char* device;
  PowerScope scope;
};

/// In the order of PowermetricsRail.
constexpr std::array<Rail, kPowermetricsRails> kRails{{{"GPU", "mps", PowerScope::kGpuRail},
                                                       {"CPU", "cpu", PowerScope::kCpuPackage},
                                                       {"DRAM", "", PowerScope::kDram},
                                                       {"CPU + GPU + ANE", "", PowerScope::kSoc},
                                                       {"Package", "", PowerScope::kSoc}}};

Seconds median_elapsed(const std::vector<PowermetricsBlock>& blocks) {
  auto elapsed = mapped(blocks, [](const PowermetricsBlock& block) { return block.stamp.elapsed; });
  std::ranges::sort(elapsed);
  return elapsed[elapsed.size() / 2];
}

PowerSourceFacts make_facts(const Rail& rail, Seconds averaging) {
  return {.meter = "powermetrics",
          .part = rail.part,
          .device = rail.device,
          .scope = rail.scope,
          .power_quantity = fmt::format("power averaged over {:.3g} s", averaging.value),
          .averaging = averaging,
          .accuracy =
              "estimated by the system; its manual (man powermetrics) warns against comparing devices by it",
          .is_replayed = true,
          .resolution = Watts{1e-3}};
}

PowerReading make_reading(const PowermetricsBlock& block, std::size_t rail) {
  PowerReading reading = blank_reading();
  if (block.watts[rail]) reading.power = *block.watts[rail];
  if (kRails[rail].scope == PowerScope::kGpuRail && block.gpu_clock) reading.clock = *block.gpu_clock;
  return reading;
}

}  // namespace

void add_blocks(const std::vector<PowermetricsBlock>& blocks, TraceCollector& collector) {
  if (blocks.empty()) return;
  const ChainedTimes chained = chained_times(mapped(blocks, &PowermetricsBlock::stamp));
  collector.keep_times();
  collector.note(
      fmt::format("stamps have whole seconds: times may be off by {:.2f} s", chained.uncertainty.value));
  for (std::size_t rail = 0; rail < kRails.size(); ++rail) {
    const auto has_rail = [rail](const PowermetricsBlock& block) { return block.watts[rail].has_value(); };
    if (std::ranges::none_of(blocks, has_rail)) continue;
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      collector.add(
          kRails[rail].part, [&] { return make_facts(kRails[rail], median_elapsed(blocks)); },
          {chained.times[i], make_reading(blocks[i], rail)}, blocks[i].line);
    }
  }
}

}  // namespace gpubench
