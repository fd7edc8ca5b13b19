// What collectives say of the network between ranks.

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "gpubench/core/collect.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// Bytes that each link carries for one byte of the collective, among `n` ranks.
Reading<double> bus_factor(const std::string& op, double n) {
  if (op == "all_reduce") return 2 * (n - 1) / n;
  if (op == "all_gather" || op == "reduce_scatter") return (n - 1) / n;
  if (op == "broadcast" || op == "send_receive") return 1.0;
  return absent("no collective");
}

struct Measured {
  double bytes;
  double seconds;
};

/// Minimises the sum of (a + b S_i - t_i)^2 / t_i^2.
LatencyFit fitted(const std::vector<Measured>& rows) {
  double w = 0;
  double ws = 0;
  double wss = 0;
  double wt = 0;
  double wst = 0;
  for (const auto& [s, t] : rows) {
    const double weight = 1 / (t * t);
    w += weight;
    ws += weight * s;
    wss += weight * s * s;
    wt += weight * t;
    wst += weight * s * t;
  }
  const double slope = (w * wst - ws * wt) / (w * wss - ws * ws);
  LatencyFit fit;
  fit.latency_seconds = (wt - slope * ws) / w;
  fit.bytes_per_second = 1 / slope;
  for (const auto& [s, t] : rows)
    fit.worst = std::max(fit.worst, std::abs(fit.latency_seconds + slope * s - t) / t);
  return fit;
}

}  // namespace

Reading<double> bus_bytes_per_second(const OpRecord& record) {
  return bus_factor(record.op, static_cast<double>(record.ranks)).then([&](double factor) {
    return bytes_per_second(record).then([=](double rate) { return factor * rate; });
  });
}

std::vector<LatencyFit> latency_fits(const OpsRecord& ops) {
  constexpr std::size_t kLeastRows = 3;
  std::vector<RowIdentity> kinds;
  for (const OpRecord& row : ops.rows) add_once(kinds, identity_of(row).without({"sizes"}));
  std::vector<LatencyFit> fits;
  for (const RowIdentity& kind : kinds) {
    std::vector<Measured> rows;
    const OpRecord* first = nullptr;
    for (const OpRecord& row : ops.rows) {
      const Reading<Estimate> time = call_time(row);
      const bool is_usable = row.status == RowStatus::kOk && row.ranks > 1 && time.has_value() &&
                             time.value().value > 0 && row.traffic.has_value();
      if (!is_usable || identity_of(row).without({"sizes"}) != kind) continue;
      first = &row;
      rows.push_back({static_cast<double>(row.traffic.value().value), time.value().value});
    }
    if (rows.size() < kLeastRows) continue;
    LatencyFit fit = fitted(rows);
    fit.op = first->op;
    fit.ranks = first->ranks;
    if (first->backend.has_value()) fit.backend = first->backend.value();
    fits.push_back(fit);
  }
  return fits;
}

}  // namespace gpubench
