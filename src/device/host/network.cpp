#include "device/host/network.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/gpu_match.h"

namespace gpubench {
namespace {

/// Returns the local address of the route to `target`; empty without a route.
std::string source_for(const addrinfo& target) {
  const FileDescriptor socket(::socket(target.ai_family, SOCK_DGRAM, 0));
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);
  const bool has_route = socket.is_open() && connect(socket.get(), target.ai_addr, target.ai_addrlen) == 0 &&
                         getsockname(socket.get(), address, &size) == 0;
  return has_route ? address_text(address, size) : "";
}

std::string find_interface(const std::string& address) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, freeifaddrs);
  for (const ifaddrs* each = list; each != nullptr; each = each->ifa_next) {
    const sockaddr* const own = each->ifa_addr;
    if (own == nullptr || (own->sa_family != AF_INET && own->sa_family != AF_INET6)) continue;
    const socklen_t size = own->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (address_text(own, size) == address) return each->ifa_name;
  }
  return {};
}

constexpr unsigned kMaxLinks = 36;       // Per GPU. NVML_NVLINK_MAX_LINKS is 18 so far.
constexpr unsigned kLinkMegabytes = 90;  // NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON, in MB/s per link.
constexpr int kByNvlink = 2;             // NVML_P2P_CAPS_INDEX_NVLINK

/// Values of nvmlGpuTopologyLevel_t, from the shortest path to the longest.
constexpr std::array<std::pair<unsigned, const char*>, 6> kPaths = {
    {{0, "on one board"},
     {10, "through one PCIe switch"},
     {20, "through several PCIe switches"},
     {30, "through one PCIe host bridge"},
     {40, "through several PCIe host bridges"},
     {50, "across NUMA nodes"}}};

/// Links of the GPU `own` to others.
class NvmlLinks {
 public:
  NvmlLinks(const NvmlLibrary& library, NvmlDevice own) : library_(library), own_(own) {}

  Measured<std::string> describe(const std::vector<NvmlGpu>& gpus) const {
    std::vector<NvmlDevice> far;
    for (const NvmlGpu& gpu : gpus) {
      if (gpu.device != own_ && !has_nvlink(gpu.device)) far.push_back(gpu.device);
    }
    const std::size_t near = gpus.size() - 1 - far.size();
    if (near == 0) return pcie(far);
    const std::string links = nvlink();
    if (far.empty())
      return near == 1 ? links + ", to the other" : fmt::format("{}, to all {} others", links, near);
    const Measured<std::string> rest = pcie(far);
    return fmt::format("{}, to {} of {} others{}", links, near, near + far.size(),
                       rest.has_value() ? "; " + rest.value() : "");
  }

 private:
  bool has_nvlink(NvmlDevice to) const {
    const auto status = library_.ask("NVLink between GPUs", -1, peer_status_, own_, to, kByNvlink);
    return status.has_value() && status.value() == 0;
  }

  std::string nvlink() const {
    unsigned active = 0;
    for (unsigned link = 0; link < kMaxLinks; ++link) {
      if (library_.ask("NVLink", 0, link_state_, own_, link).value_or(0) == 1) ++active;
    }
    if (active == 0) return "NVLink";
    const Measured<double> megabytes = library_.field("speed of NVLink", own_, kLinkMegabytes);
    return fmt::format("NVLink, {} link{}", active, active == 1 ? "" : "s") +
           (megabytes.has_value() ? fmt::format(" of {:.1f} GB/s", megabytes.value() / 1000) : "");
  }

  /// Returns the maximum PCIe link of GPU and slot (idle links slow down) and the longest path to `others`.
  Measured<std::string> pcie(const std::vector<NvmlDevice>& others) const {
    const auto generation = library_.ask("PCIe generation", 0U, generation_, own_);
    const auto width = library_.ask("PCIe width", 0U, width_, own_);
    if (!generation.has_value()) return generation.why();
    if (!width.has_value()) return width.why();
    const std::string pcie = fmt::format("PCIe {} x{}", generation.value(), width.value());
    std::optional<unsigned> longest;
    for (const NvmlDevice other : others) {
      const auto path = library_.ask("the path between GPUs", 0U, ancestor_, own_, other);
      if (path.has_value()) longest = std::max(longest.value_or(0), path.value());
    }
    if (!longest) return pcie;
    const auto* const known = std::ranges::find(kPaths, *longest, &std::pair<unsigned, const char*>::first);
    return pcie + ", " + (known == kPaths.end() ? "through an unknown path" : known->second);
  }

  const NvmlLibrary& library_;
  NvmlDevice own_;
  int (*peer_status_)(NvmlDevice, NvmlDevice, int, int*) = library_.find("nvmlDeviceGetP2PStatus");
  int (*link_state_)(NvmlDevice, unsigned, int*) = library_.find("nvmlDeviceGetNvLinkState");
  int (*ancestor_)(NvmlDevice, NvmlDevice, unsigned*) = library_.find("nvmlDeviceGetTopologyCommonAncestor");
  int (*generation_)(NvmlDevice, unsigned*) = library_.find("nvmlDeviceGetMaxPcieLinkGeneration");
  int (*width_)(NvmlDevice, unsigned*) = library_.find("nvmlDeviceGetMaxPcieLinkWidth");
};

}  // namespace

AddressList find_addresses(const std::string& host, int port, int kind) {
  addrinfo hints{};
  hints.ai_socktype = kind;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error == 0) return {list, freeaddrinfo};
  throw Error(ErrorKind::kUsage,
              "host {}: {}; set MASTER_ADDR to a name that this machine can resolve, or to an address", host,
              gai_strerror(error));
}

std::string address_text(const sockaddr* address, socklen_t size) {
  std::array<char, NI_MAXHOST> text{};
  const int error = getnameinfo(address, size, text.data(), static_cast<socklen_t>(text.size()), nullptr, 0,
                                NI_NUMERICHOST);
  return error == 0 ? text.data() : "";
}

bool is_loopback(const std::string& address) {
  return address.starts_with("127.") || address == "::1" || address.starts_with("::ffff:127.");
}

std::string address_towards(const std::string& host, int port) {
  const AddressList list = find_addresses(host, port, SOCK_DGRAM);
  for (const addrinfo* target = list.get(); target != nullptr; target = target->ai_next) {
    if (std::string source = source_for(*target); !source.empty()) return source;
  }
  throw Error(ErrorKind::kUsage, "host {}: no route; check the routing table", host);
}

std::string link_text(const std::string& address) {
  const std::string interface_name = find_interface(address);
  if (interface_name.empty()) return {};
  if (interface_name == "lo" || interface_name == "lo0") return "loopback";
  const HostFiles files;
  const std::string folder = "/sys/class/net/" + interface_name;
  const Measured<std::string> type = files.line(folder + "/type");
  if (!type.has_value()) return interface_name;
  const std::string kind = type.value() == "32" ? "InfiniBand" : "Ethernet";  // See <linux/if_arp.h>.
  const std::int64_t speed = files.number(folder + "/speed").value_or(0);
  return speed > 0 ? fmt::format("{}, {} Mbit/s", kind, speed) : kind;
}

Measured<std::string> gpu_link(const std::string& device, const Environment& run,
                               const std::string& library_path) {
  std::string why_not;
  const auto library = NvmlLibrary::load(library_path, why_not);
  if (library == nullptr) return missing(why_not);
  const std::vector<NvmlGpu> gpus = library->gpus(why_not);
  const auto matches = match_gpus(mapped(gpus, &NvmlGpu::identity), run);
  const auto found = std::ranges::find(matches, device, &GpuMatch::device);
  if (found == matches.end()) return missing("cannot match {} to a GPU of the driver", device);
  return NvmlLinks(*library, gpus[static_cast<std::size_t>(found - matches.begin())].device).describe(gpus);
}

}  // namespace gpubench
