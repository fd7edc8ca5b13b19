#include "app/setup/pins.h"

#include <algorithm>
#include <sstream>

#include "app/setup/pins_text.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

constexpr std::string_view kHash = "--hash=sha256:";

bool is_needed(const Pin& pin, const std::string& flavor) {
  if (pin.package == "torch") return true;
  // LibTorch's part for the CPU links these two all the same.
  if (flavor == "slim") return pin.package == "nvidia-cuda-runtime" || pin.package == "nvidia-cuda-cupti";
  return flavor == "cuda" && pin.package.starts_with("nvidia-");
}

}  // namespace

std::vector<Pin> pins_in(std::string_view text) {
  std::vector<Pin> pins;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    if (const auto equals = word.find("=="); equals != std::string::npos) {
      pins.push_back({word.substr(0, equals), word.substr(equals + 2), {}});
    } else if (word.starts_with(kHash) && !pins.empty()) {
      pins.back().sha256.push_back(word.substr(kHash.size()));
    }
  }
  return pins;
}

const std::vector<Pin>& known_pins() {
  static const std::vector<Pin> pins = pins_in(pins_texts().front().text);
  return pins;
}

std::vector<Pin> find_pins(const TorchBuild& build, const std::vector<Pin>& pins) {
  std::vector<Pin> needed;
  std::vector<std::string> versions;
  for (const Pin& pin : pins) {
    if (pin.package == "torch") versions.push_back(pin.version);
    if (is_needed(pin, build.flavor)) needed.push_back(pin);
  }
  require(std::ranges::find(versions, build.version) != versions.end(),
          "--torch {}: its checksums are not known here, but those of {}; name a folder that has it with "
          "GPUBENCH_TORCH",
          build.version, join(versions));
  return needed;
}

}  // namespace gpubench
