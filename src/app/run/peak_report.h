#pragma once
// What `gpubench peak` prints and writes.

#include <string>
#include <vector>

#include "engine/api/peak.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A measurement of the machine's own peak.
struct PeakReport {
  ToolRecord tool;
  Environment environment;  ///< Its devices are those of `devices`.
  std::vector<PeakMeasurement> devices;
};

/// Returns the document, see results/schema/peak-v3.schema.json.
std::string peak_document(const PeakReport& report);

/// The headline of each device for people, in columns.
std::string peak_table(const std::vector<PeakMeasurement>& devices);

/// "cpu: gemm fp32 1024: 143 GFLOP/s", for progress.
std::string point_text(const std::string& device, const PeakPoint& point);

}  // namespace gpubench
