#include "device/host/network.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <array>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/outside_file.h"

namespace gpubench {
namespace {

/// Returns the local address of a datagram's route; empty without one.
std::string source_for(const addrinfo& target) {
  const FileDescriptor socket(::socket(target.ai_family, SOCK_DGRAM, 0));
  sockaddr_storage own{};
  socklen_t size = sizeof own;
  auto* const address = reinterpret_cast<sockaddr*>(&own);
  const bool has_way = socket.is_open() && connect(socket.get(), target.ai_addr, target.ai_addrlen) == 0 &&
                       getsockname(socket.get(), address, &size) == 0;
  return has_way ? address_text(address, size) : "";
}

}  // namespace

AddressList find_addresses(const std::string& host, int port, int kind) {
  addrinfo hints{};
  hints.ai_socktype = kind;
  addrinfo* list = nullptr;
  const int error = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error == 0) return {list, freeaddrinfo};
  throw Error(ErrorKind::kUsage,
              "host {}: {}; give MASTER_ADDR a name that this machine knows, or an address", host,
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
  throw Error(ErrorKind::kUsage, "host {}: no network leads there; see the routing table", host);
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

std::string link_text(const std::string& interface_name) {
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

}  // namespace gpubench
