#include "power/log/entries.h"

namespace gpubench {

const Catalog<PowerLogFormat>& power_log_formats() {
  static const Catalog<PowerLogFormat> formats("format of power logs", {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "power/log/catalog.def"
#undef GPUBENCH_ENTRY
                                                                       });
  return formats;
}

}  // namespace gpubench
