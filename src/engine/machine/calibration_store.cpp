#include "engine/machine/calibration_store.h"

#include <algorithm>

#include "engine/machine/device_key.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

std::string key_of(const DeviceRecord& device, const Environment& environment) {
  return "calibration 1; " + device_key(device, environment);
}

}  // namespace

Reading<std::vector<double>> CalibrationStore::find(const DeviceRecord& device,
                                                    const Environment& environment) const {
  const auto text = cache_.find(key_of(device, environment));
  const Json list = text ? Json::parse(*text, nullptr, false) : Json();
  const auto is_number = [](const Json& item) { return item.is_number(); };
  if (!list.is_array() || !std::all_of(list.begin(), list.end(), is_number)) {
    return absent("not calibrated; run 'gpubench calibrate'");
  }
  return list.get<std::vector<double>>();
}

void CalibrationStore::keep(const std::vector<double>& seconds, const DeviceRecord& device,
                            const Environment& environment) const {
  cache_.store(key_of(device, environment), json_text(seconds));
}

CalibrationStore calibration_store() {
  const auto folder = cache_folder();
  return CalibrationStore(MachineCache(folder.empty() ? folder : folder / "calibrations"));
}

}  // namespace gpubench
