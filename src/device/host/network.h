#pragma once
// Network addresses of this machine, and links between machines and GPUs. No LibTorch.

#include <netdb.h>

#include <memory>
#include <string>

#include "core/io/nvml_library.h"
#include "gpubench/core/measured.h"

namespace gpubench {

struct Environment;  // record/environment.h

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// Resolves a host for SOCK_STREAM or SOCK_DGRAM. Throws a usage Error for an unknown name.
AddressList find_addresses(const std::string& host, int port, int kind);

/// Formats an IP address, such as "10.0.0.1"; empty for other address families.
std::string address_text(const sockaddr* address, socklen_t size);

bool is_loopback(const std::string& address);

/// Returns the local address of the route to `host`, without sending. Throws a usage Error without a route.
std::string address_towards(const std::string& host, int port);

/// Describes the interface of a local address: "Ethernet, 10000 Mbit/s" or "loopback"; empty if unknown.
std::string link_text(const std::string& address);

/// Describes the link of NVIDIA GPU `device` of `run` to the other GPUs of the machine: "NVLink, 18 links of
/// 26.6 GB/s, to all 7 others", "PCIe 4 x16, through one PCIe host bridge" (longest path), or "PCIe 5 x16"
/// for a single GPU. Bandwidths are per direction. Missing if the driver does not report it.
Measured<std::string> gpu_link(const std::string& device, const Environment& run,
                               const std::string& library_path = NvmlLibrary::kName);

}  // namespace gpubench
