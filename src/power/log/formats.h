#pragma once
// The formats that power_log.cpp collects, each in a file of its own.

#include "power/log/power_log.h"

namespace gpubench {

PowerLogFormat gpubench_log_format();
PowerLogFormat powermetrics_format();
PowerLogFormat nvidia_smi_format();

}  // namespace gpubench
