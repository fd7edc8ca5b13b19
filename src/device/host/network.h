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

/// The addresses of `host`, a name or an address, for sockets of this kind (SOCK_STREAM or SOCK_DGRAM).
/// Throws a usage Error where the name is not known.
AddressList find_addresses(const std::string& host, int port, int kind);

/// As text, "10.0.0.1"; empty for what is no address of a network.
std::string address_text(const sockaddr* address, socklen_t size);

/// Whether the address is of this machine alone.
bool is_loopback(const std::string& address);

/// The address of this machine from which it reaches `host`, a name or an address, as the routing table says;
/// nothing is sent. Throws a usage Error where the name is not known or no way leads there.
std::string address_towards(const std::string& host, int port);

/// The name of the network interface that has the address; empty where none has.
std::string find_interface(const std::string& address);

/// What the system tells of the interface, as "ethernet, 10000 Mbit/s"; "loopback" within one machine. Empty
/// where it tells nothing.
std::string link_text(const std::string& interface_name);

/// Returns what connects NVIDIA's GPU that is `device` ("cuda:1") of `run` to the others of its machine,
/// hidden ones included: "NVLink, 18 links of 26.6 GB/s, to all 7 others"; "PCIe 4 x16, through the
/// processor" if that is the way to the farthest of them; "PCIe 5 x16" of a single one. A link's bandwidth is
/// that of one direction. Missing, with the reason, if the driver, at `library_path`, does not know.
Measured<std::string> gpu_link(const std::string& device, const Environment& run,
                               const std::string& library_path = NvmlLibrary::kName);

}  // namespace gpubench
