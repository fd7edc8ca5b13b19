#include "gpubench/power_meter.h"

namespace gpubench::none_plugin {

MeterEntry entry_none() {
  return {"none", "no energy is measured", false, [](const MeterRequest&, std::string& why_not) {
            why_not = "asked for with --meter none";
            return PowerSources{};
          }};
}

}  // namespace gpubench::none_plugin
