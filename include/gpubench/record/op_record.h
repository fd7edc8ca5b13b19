#pragma once
// A table of operations: everything that `gpubench ops` measured.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/op_point.h"
#include "gpubench/record/row_record.h"

namespace gpubench {

/// One operation at one size.
struct OpRecord : RowRecord, OpPoint {
  Measured<std::string> backend =
      missing("an operation of one process");  ///< Of a collective: "gloo" or "nccl".

  std::int64_t calls_per_sample = 0;       ///< So many that a sample is long for the clock.
  std::string clock = "host";              ///< Of call_seconds: "host", or "device": its own events.
  std::vector<double> call_seconds;        ///< Time of a call in each sample, in order.
  std::vector<double> host_call_seconds;   ///< The samples by the host's clock, where `clock` is "device".
  std::vector<double> graph_call_seconds;  ///< Of calls that the device replays from a recorded graph.

  double flop = 0;                ///< Of a call; 0 where it only moves data.
  Measured<Bytes> traffic;        ///< Of a call: what it takes read once, what it makes written once.
  Measured<Bytes> needed_host;    ///< Memory for the row and its check.
  Measured<Bytes> needed_device;  ///< Missing for the CPU.
  Measured<double> error;         ///< Largest difference from fp64, relative to the largest value.
  Measured<double> tolerance;     ///< What `error` may be.
};

/// What was asked for.
struct OpsSettings {
  std::string protocol = "default";  ///< "default", or "s4": the second of two calls.
  std::string kind = "table";        ///< "table", "matrix": operations by types, "sweep": square products, or
                                     ///< "net": collectives.
  std::string set;  ///< Whose sizes: "published", "small", "all"; empty: sizes that were given.
  std::string isolation = "process";  ///< "process": rows are run in a process apart; "none".
  std::int64_t seed = 0;              ///< Of the inputs.
  Seconds sample;                     ///< A sample lasts so long at least,
  Seconds limit;                      ///< and a row is measured for about so long.
};

/// Rows in the order in which they were measured.
struct OpsRecord {
  ToolRecord tool;
  Environment environment;  ///< Its devices carry the peaks that rows are held against.
  OpsSettings settings;
  std::vector<OpRecord> rows;

  /// Set for figures that no gpubench measured: then `tool`, `environment` and `settings` say nothing.
  std::optional<PublishedRecord> published;
};

}  // namespace gpubench
