#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

constexpr double kTolerance = 0.02;
/// What the ends of a window and of its stamps are apart.
constexpr double kEnds = 2e-4;

/// How far the blocks of the best epoch are from it.
double least_difference(const CaseRecord& record) {
  const auto blocks = static_cast<std::size_t>(record.blocks_per_epoch.value());
  double least = 1;
  for (std::size_t epoch = 0; epoch < record.epoch_seconds.size(); ++epoch) {
    const auto first = record.block_seconds.begin() + static_cast<std::ptrdiff_t>(epoch * blocks);
    const double sum = std::accumulate(first, first + static_cast<std::ptrdiff_t>(blocks), 0.0);
    const double seconds = record.epoch_seconds[epoch];
    least = std::min(least, std::max(0.0, std::abs(sum - seconds) - kEnds) / seconds);
  }
  return least;
}

CheckRow check(Subject& subject, Execution execution) {
  const std::string what = to_string(execution);
  SmallTraining training{.model = "cnn", .samples = 1024, .batch_size = 64};
  training.mode.execution = execution;
  const CaseRecord record = train(subject, training);
  losses_of(record);  // Throws where it did not end well.
  if (!record.blocks_per_epoch.has_value()) return unchecked(what, record.blocks_per_epoch.reason());
  const auto expected =
      static_cast<std::size_t>(record.blocks_per_epoch.value()) * record.epoch_seconds.size();
  if (record.block_seconds.size() != expected)
    return failed(what, fmt::format("{} of {} blocks have a time", record.block_seconds.size(), expected));
  const double difference = least_difference(record);
  return compared(what, difference, kTolerance,
                  fmt::format("{} blocks are {} from their epoch", record.blocks_per_epoch.value(),
                              percent_text(difference)));
}

CheckRows run(Subject& subject) {
  CheckRows rows{check(subject, Execution::kEager)};
  const std::string why_not = subject.device.why_no_graph();
  rows.push_back(why_not.empty() ? check(subject, Execution::kGraph) : unchecked("graph", why_not));
  return rows;
}

}  // namespace

CheckEntry check_blocks() { return {"blocks", "time stamps of blocks add up to their epoch", run}; }

}  // namespace gpubench
