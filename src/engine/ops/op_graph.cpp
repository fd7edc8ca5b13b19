#include <exception>

#include "engine/ops/op_timing.h"
#include "engine/timing/window.h"
#include "gpubench/core/stats/stats.h"

namespace gpubench {
namespace {

/// Longer calls hide what launching them costs.
constexpr double kTiny = 100e-6;
/// In one graph, so that launching the graph itself does not count.
constexpr std::int64_t kCalls = 100;
constexpr int kSamples = 20;

bool is_worth_it(const OpRow& row, const OpRecord& record) {
  return row.device.why_no_graph().empty() && row.request.direction == OpDirection::kForward &&
         row.request.cache == OpCache::kWarm && median_of(record.call_seconds) < kTiny;
}

/// So many replays that a sample is as long as the row wants.
int replays_for(const OpRow& row, RecordedWork& graph) {
  TimedWindow window(row.device, row.clock);
  graph.replay();
  const double took = window.close().value;
  return took > 0 ? 1 + static_cast<int>(row.request.effort.sample.value / took) : 1;
}

double replay_seconds(const OpRow& row, RecordedWork& graph, int replays) {
  TimedWindow window(row.device, row.clock);
  for (int i = 0; i < replays; ++i) graph.replay();
  return window.close().value / static_cast<double>(replays * kCalls);
}

}  // namespace

void time_in_graph(OpRow& row, OpRecord& record) {
  if (!is_worth_it(row, record)) return;
  try {
    const auto calls = [&row](std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) row.call.make();
    };
    const auto graph = row.device.record_graph([&] { calls(1); }, [&] { calls(kCalls); });
    const int replays = replays_for(row, *graph);
    for (int i = 0; i < kSamples; ++i) {
      record.graph_call_seconds.push_back(replay_seconds(row, *graph, replays));
    }
  } catch (const std::exception&) {
    record.graph_call_seconds.clear();
  }
}

}  // namespace gpubench
