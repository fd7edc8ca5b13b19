#pragma once
// Parsers of times, powers and GPU indices in logs and options. Independent of the locale.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "gpubench/core/measured.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/core/units.h"

namespace gpubench {

struct Stamp {
  Seconds local;                      ///< Time since 1970-01-01 00:00 in the stamp's zone.
  std::optional<Seconds> utc_offset;  ///< The stamp's zone minus UTC; nullopt if the stamp has no zone.
  bool has_fraction = false;          ///< False if the time was cut to whole seconds.
};

/// Reads a time in an unambiguous format: "2023/12/17 18:49:17.547", "2023-12-17T18:49:17Z",
/// "20231217_184917", "17.12.2023 18:49:17", "Sun Dec 17 06:56:33 PM UTC 2023", Unix time in s, ms, us or ns;
/// or in `format`: "unix", "unix-ms", "unix-us", "unix-ns", or a format of strptime(). Missing outside 2000
/// to 2100.
Measured<Stamp> parse_stamp(std::string_view text, const std::string& format = "");

/// Reads "+01:00", "-0530", "+02", "Z" or "UTC". Throws a usage Error that names `option`.
Seconds parse_utc_offset(const std::string& text, const std::string& option);

/// Formats seconds since 1970-01-01 UTC as "2023-12-17 17:49:17 UTC".
std::string utc_text(Seconds time);

/// A number and its unit: "200.00 W", "20000mW", "1500 MHz".
struct Amount {
  std::string_view digits;
  std::string_view unit;
};

Amount amount_in(std::string_view field);

/// Returns the watts per "W", "mW", "kW" or "uW", or a longer name of these; nothing for other texts.
std::optional<double> watts_per_unit(std::string_view unit);

/// Returns the unit of power that ends a lower-case text; empty for other texts.
std::string_view unit_at_end(std::string_view text);

/// Reads "200.00 W" or "20000mW"; nothing for other texts.
std::optional<Watts> parse_watts(std::string_view text);

/// Returns the index at the end of "3", "GPU3", "gpu 3", "GPU[3]" or "card3"; nothing for other texts.
std::optional<std::int64_t> gpu_index(std::string_view text);

}  // namespace gpubench
