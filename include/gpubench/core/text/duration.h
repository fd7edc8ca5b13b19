#pragma once
// Durations as people write and read them.

#include <string>

#include "gpubench/core/units.h"

namespace gpubench {

/// The duration in `text`: a number of seconds, or numbers with units, the larger first: "90", "90s",
/// "500ms", "1.5m", "20m", "1h30m", "2d". Zero is a duration. Throws a usage Error that names `option` for an
/// empty, negative or unreadable one.
Seconds parse_duration(const std::string& text, const std::string& option);

/// To the second, for people: "45 s", "3 min 05 s", "2 h 10 min". Negative durations read as zero.
std::string duration_text(Seconds duration);

}  // namespace gpubench
