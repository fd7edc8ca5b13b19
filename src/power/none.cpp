#include "gpubench/power_meter.h"

namespace gpubench::none_plugin {

MeterEntry entry_none() {
  return {"none", "Nothing: energy is not measured", false, [](const MeterRequest&, std::string& why_not) {
            why_not = "disabled by --meter none";
            return PowerSources{};
          }};
}

}  // namespace gpubench::none_plugin
