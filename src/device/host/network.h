#pragma once
// Addresses of this machine, and how it and its GPUs are connected. No LibTorch.

#include <netdb.h>

#include <memory>
#include <string>

#include "core/io/nvml_library.h"
#include "gpubench/core/measured.h"

namespace gpubench {

struct Environment;  // record/environment.h

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

/// Finds addresses for SOCK_STREAM or SOCK_DGRAM. Throws a usage Error for an unknown name.
AddressList find_addresses(const std::string& host, int port, int kind);

/// Formats "10.0.0.1"; empty for other families.
std::string address_text(const sockaddr* address, socklen_t size);

bool is_loopback(const std::string& address);

/// Returns the local address of the route to `host`; sends nothing. Throws a usage Error without a route.
std::string address_towards(const std::string& host, int port);

/// Describes the interface of an own address, "Ethernet, 10000 Mbit/s" or "loopback"; empty if unknown.
std::string link_text(const std::string& address);

/// Returns the connection of NVIDIA's GPU `device` of `run` to all others of its machine: "NVLink, 18 links
/// of 26.6 GB/s, to all 7 others", "PCIe 4 x16, through the processor" (the farthest), or "PCIe 5 x16" alone.
/// Bandwidths are those of one direction. Missing, with the reason, if the driver does not know.
Measured<std::string> gpu_link(const std::string& device, const Environment& run,
                               const std::string& library_path = NvmlLibrary::kName);

}  // namespace gpubench
