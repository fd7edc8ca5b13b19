// Peaks that an earlier run kept for this machine. The input is the stored text.

#include "engine/machine/facts.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "record/document/record_json.h"

namespace gpubench::fuzz {
namespace {

DeviceRecord device() {
  DeviceRecord device;
  device.name = "cpu";
  device.peak_flops_per_second = NamedValues{{"fp32", 1e12}};
  device.peak_from_rows = {"fp32"};
  return device;
}

/// Puts `text` behind the key, which is the first line, of what `keep` stored in `folder`.
template <class Keep>
void replace_stored(const Folder& folder, Keep keep, std::string_view text) {
  namespace fs = std::filesystem;
  keep();
  const fs::path path = fs::directory_iterator(folder.path())->path();
  std::string key;
  std::getline(std::ifstream(path), key);
  folder.file(path.filename().string(), key + "\n" + std::string(text));
}

void read(std::string_view text) {
  const Folder folder;
  const PeakStore store{MachineCache(folder.path())};
  replace_stored(
      folder, [&] { store.keep(PeakEffort::kFull, device(), {}); }, text);
  if (const auto found = store.find(device(), {})) {
    require(to_json(to_json(*found).get<DeviceRecord>()) == to_json(*found),
            "a peak is read as it was written");
  }
  store.raise_peak(device(), {});
  store.keep(PeakEffort::kTrial, device(), {});
  store.keep(PeakEffort::kTrial, device(), {}, /*is_renewed=*/true);
  store.find(device(), {});
}

}  // namespace

Target entry_stored_facts() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
