// How GPUs of one machine reach each other.

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "device/host/network.h"
#include "gpubench/core/collect.h"
#include "gpubench/record/gpu_match.h"

namespace gpubench {
namespace {

constexpr unsigned kMostLinks = 36;      // Of one GPU; NVML_NVLINK_MAX_LINKS has been 18 at most.
constexpr unsigned kLinkMegabytes = 90;  // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON: MB/s of a link.
constexpr int kByNvlink = 2;             // NVML_P2P_CAPS_INDEX_NVLINK

/// nvmlGpuTopologyLevel_t: what a way from one GPU to another leads through, the nearest first.
constexpr std::array<std::pair<unsigned, const char*>, 6> kWays = {
    {{0, "on one board"},
     {10, "through one PCIe switch"},
     {20, "through several PCIe switches"},
     {30, "through the processor"},
     {40, "through the processor's interconnect"},
     {50, "from processor to processor"}}};

/// What the library says of the links of GPUs.
class NvmlLinks {
 public:
  explicit NvmlLinks(const NvmlLibrary& library) : library_(library) {}

  bool has_nvlink(NvmlDevice from, NvmlDevice to) const {
    const auto status = library_.ask("NVLink between GPUs", -1, peer_status_, from, to, kByNvlink);
    return status.has_value() && status.value() == 0;
  }

  unsigned active_nvlinks(NvmlDevice device) const {
    unsigned active = 0;
    for (unsigned link = 0; link < kMostLinks; ++link) {
      const auto is_active = library_.ask("NVLink", 0, link_state_, device, link);
      if (is_active.has_value() && is_active.value() == 1) ++active;
    }
    return active;
  }

  Measured<unsigned> ancestor(NvmlDevice from, NvmlDevice to) const {
    return library_.ask("the way between GPUs", 0U, ancestor_, from, to);
  }

  /// The best that GPU and slot can do: without work they save power.
  Measured<std::string> pcie(NvmlDevice device) const {
    const auto generation = library_.ask("PCIe generation", 0U, generation_, device);
    const auto width = library_.ask("PCIe width", 0U, width_, device);
    if (!generation.has_value()) return generation.why();
    if (!width.has_value()) return width.why();
    return fmt::format("PCIe {} x{}", generation.value(), width.value());
  }

  std::string nvlink(NvmlDevice device) const {
    const unsigned count = active_nvlinks(device);
    const Measured<double> megabytes = library_.field("speed of NVLink", device, kLinkMegabytes);
    std::string text = "NVLink";
    if (count > 0) text += fmt::format(", {} link{}", count, count == 1 ? "" : "s");
    if (count > 0 && megabytes.has_value()) text += fmt::format(" of {:.1f} GB/s", megabytes.value() / 1000);
    return text;
  }

 private:
  const NvmlLibrary& library_;
  int (*peer_status_)(NvmlDevice, NvmlDevice, int, int*) = library_.find("nvmlDeviceGetP2PStatus");
  int (*link_state_)(NvmlDevice, unsigned, int*) = library_.find("nvmlDeviceGetNvLinkState");
  int (*ancestor_)(NvmlDevice, NvmlDevice, unsigned*) = library_.find("nvmlDeviceGetTopologyCommonAncestor");
  int (*generation_)(NvmlDevice, unsigned*) = library_.find("nvmlDeviceGetMaxPcieLinkGeneration");
  int (*width_)(NvmlDevice, unsigned*) = library_.find("nvmlDeviceGetMaxPcieLinkWidth");
};

const char* format_words(unsigned way) {
  const auto* const found = std::ranges::find(kWays, way, &std::pair<unsigned, const char*>::first);
  return found == kWays.end() ? "on a way that is not known" : found->second;
}

/// With the longest of the ways to `others`, where there are any and the driver tells.
Measured<std::string> over_pcie(const NvmlLinks& links, NvmlDevice own,
                                const std::vector<NvmlDevice>& others) {
  std::optional<unsigned> longest;
  for (const NvmlDevice other : others) {
    const Measured<unsigned> way = links.ancestor(own, other);
    if (way.has_value()) longest = std::max(longest.value_or(0), way.value());
  }
  return links.pcie(own).then([&](const std::string& pcie) {
    return longest ? fmt::format("{}, {}", pcie, format_words(*longest)) : pcie;
  });
}

Measured<std::string> find_link(const NvmlLibrary& library, NvmlDevice own,
                                const std::vector<NvmlGpu>& gpus) {
  const NvmlLinks links(library);
  std::vector<NvmlDevice> far;
  std::size_t near = 0;
  for (const NvmlGpu& gpu : gpus) {
    if (gpu.device == own) continue;
    if (links.has_nvlink(own, gpu.device)) {
      ++near;
    } else {
      far.push_back(gpu.device);
    }
  }
  if (near == 0) return over_pcie(links, own, far);
  const std::string nvlink = links.nvlink(own);
  if (far.empty())
    return near == 1 ? nvlink + ", to the other" : fmt::format("{}, to all {} others", nvlink, near);
  const Measured<std::string> rest = over_pcie(links, own, far);
  return fmt::format("{}, to {} of {} others{}", nvlink, near, near + far.size(),
                     rest.has_value() ? "; " + rest.value() : "");
}

}  // namespace

Measured<std::string> gpu_link(const std::string& device, const Environment& run,
                               const std::string& library_path) {
  std::string why_not;
  const auto library = NvmlLibrary::load(library_path, why_not);
  if (library == nullptr) return missing(why_not);
  const std::vector<NvmlGpu> gpus = library->gpus(why_not);
  const auto matches = match_gpus(mapped(gpus, &NvmlGpu::identity), run);
  const auto found = std::ranges::find(matches, device, &GpuMatch::device);
  if (found == matches.end()) return missing("which of the driver's GPUs {} is cannot be told", device);
  return find_link(*library, gpus[static_cast<std::size_t>(found - matches.begin())].device, gpus);
}

}  // namespace gpubench
