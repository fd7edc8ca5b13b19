#include "engine/profile/shares.h"

#include <algorithm>
#include <set>

namespace gpubench {
namespace {

struct Edge {
  std::int64_t time_ns;
  std::size_t interval;
};

std::vector<Edge> edges_of(const std::vector<Interval>& intervals) {
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < intervals.size(); ++i) {
    if (intervals[i].end_ns <= intervals[i].start_ns) continue;
    edges.push_back({intervals[i].start_ns, i});
    edges.push_back({intervals[i].end_ns, i});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) { return a.time_ns < b.time_ns; });
  return edges;
}

}  // namespace

std::vector<double> shares_ns(const std::vector<Interval>& intervals) {
  std::vector<double> shares(intervals.size(), 0);
  std::set<std::size_t> running;
  std::int64_t before = 0;
  for (const Edge& edge : edges_of(intervals)) {
    for (const std::size_t i : running) {
      shares[i] += static_cast<double>(edge.time_ns - before) / static_cast<double>(running.size());
    }
    before = edge.time_ns;
    // The first of its two edges is the start.
    if (running.erase(edge.interval) == 0) running.insert(edge.interval);
  }
  return shares;
}

}  // namespace gpubench
