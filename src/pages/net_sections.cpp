// Collectives as pictures, and what they say of the network.

#include <algorithm>

#include <fmt/format.h>

#include "compare/row_names.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/derived.h"
#include "pages/format.h"
#include "pages/ops_page.h"
#include "pages/record_table.h"

namespace gpubench {
namespace {

/// A line a collective, over its bytes.
Chart by_bytes(const std::string& title, Axis y, const OpsRecord& ops,
               Measured<double> (*figure)(const OpRecord&)) {
  const RowNames names(make_identities(ops.rows));
  Chart chart{title, ChartKind::kLines, {"bytes", "B", true}, std::move(y), {}};
  for (const OpRecord& row : ops.rows) {
    const Measured<double> value = figure(row);
    if (row.status != RowStatus::kOk || !value.has_value() || !row.traffic.has_value()) continue;
    series_called(one_line(names.of(make_identity(row).without({"sizes"}))), chart.series)
        .points.push_back({static_cast<double>(row.traffic.value().value), value.value()});
  }
  sort_points(chart.series);
  return chart;
}

Measured<double> bus_rate(const OpRecord& row) {
  return bus_bytes_per_second(row).then([](double rate) { return rate / kGiga; });
}

Measured<double> time(const OpRecord& row) { return call_time(row).then(&Estimate::value); }

Table fit_table(const std::vector<LatencyFit>& fits) {
  Columns<LatencyFit> table(fits);
  table.add({"collective"}, [](const LatencyFit& fit) { return Cell{fit.op}; });
  table.add({"ranks", "", true},
            [](const LatencyFit& fit) { return count_cell(static_cast<std::size_t>(fit.ranks)); });
  table.add({"by"}, [](const LatencyFit& fit) { return Cell{fit.backend}; });
  table.add({"latency", "", true}, [](const LatencyFit& fit) { return duration_cell(fit.latency_seconds); });
  table.add({"bandwidth", "", true}, [](const LatencyFit& fit) {
    return Cell{prefixed_text(fit.bytes_per_second, "B/s"), fit.bytes_per_second};
  });
  table.add({"off by at most", "", true}, [](const LatencyFit& fit) {
    return Cell{percent_text(fit.worst), fit.worst};
  });
  return table.take(
      "", {"T(S) = latency + S / bandwidth, least squares of relative errors; a large last column says "
           "that the network is not so simple"});
}

}  // namespace

void add_network(std::vector<Section>& sections, const OpsRecord& ops) {
  const std::vector<LatencyFit> fits = latency_fits(ops);
  if (!fits.empty()) add_section(sections, "Latency and bandwidth", fit_table(fits));
  add_section(sections, "Bus bandwidth",
              by_bytes("Bus bandwidth by bytes", {"bus bandwidth", "GB/s", true}, ops, bus_rate));
  add_section(sections, "Time", by_bytes("Time by bytes", {"time", "s", true}, ops, time));
}

}  // namespace gpubench
