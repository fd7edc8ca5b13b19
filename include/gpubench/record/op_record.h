#pragma once
// An operation or a collective, timed at one size.

#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/op_point.h"
#include "gpubench/record/row_record.h"

namespace gpubench {

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

}  // namespace gpubench
