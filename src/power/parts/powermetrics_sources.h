#pragma once
// What `powermetrics` prints while it runs, as sources; see powermetrics.cpp.

#include <memory>
#include <string>
#include <vector>

#include "gpubench/power_meter.h"

namespace gpubench {

/// Starts `command`, waits for its first block for as long as `patience` and makes a source of each rail in
/// it. The command is ended with the last source. Tests hand in a command that prints what powermetrics
/// would.
std::vector<std::unique_ptr<PowerSource>> powermetrics_sources(const std::string& command, Seconds patience,
                                                               std::string& why_not);

}  // namespace gpubench
