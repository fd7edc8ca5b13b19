#include "gpubench/record/gpu_match.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

constexpr const char* kCudaList = "CUDA_VISIBLE_DEVICES";
constexpr const char* kCudaOrder = "CUDA_DEVICE_ORDER";
constexpr std::string_view kGpuPrefix = "cuda:";

/// GPU of a run. Ranks on other hosts have neither a PCI address nor variables.
struct RunGpu {
  std::string device;
  std::string model;
  std::string uuid;
  std::string pci_address{};
  std::optional<Measured<std::string>> visible_devices{};
};

/// Returns the hexadecimal digits of a full or abbreviated UUID; empty for other text, such as "removed".
std::string uuid_digits(std::string_view text) {
  std::string digits = lower(text);
  for (const std::string_view prefix : {"gpu-", "0x"}) {
    if (digits.starts_with(prefix)) digits.erase(0, prefix.size());
  }
  std::erase(digits, '-');
  return digits.find_first_not_of("0123456789abcdef") == std::string::npos ? digits : "";
}

/// Compares UUIDs. Returns nothing if one is unknown or their lengths differ.
std::optional<bool> is_same_uuid(std::string_view one, std::string_view other) {
  const std::string left = uuid_digits(one);
  const std::string right = uuid_digits(other);
  if (left.empty() || left.size() != right.size()) return std::nullopt;
  return left == right;
}

/// Domain, bus, device and function.
using PciAddress = std::array<unsigned, 4>;
constexpr unsigned kAnyDomain = ~0U;

/// Parses "00000000:65:00.0", "65:00.0" or "65:00".
std::optional<PciAddress> read_pci_address(const std::string& text) {
  PciAddress address{};
  auto& [domain, bus, device, function] = address;
  if (std::sscanf(text.c_str(), "%x:%x:%x.%x", &domain, &bus, &device, &function) >= 3) return address;
  address = {kAnyDomain};
  if (std::sscanf(text.c_str(), "%x:%x.%x", &bus, &device, &function) >= 2) return address;
  return std::nullopt;
}

std::optional<bool> is_same_pci_address(const std::string& one, const std::string& other) {
  auto left = read_pci_address(one);
  auto right = read_pci_address(other);
  if (!left || !right) return std::nullopt;
  if (left->front() == kAnyDomain || right->front() == kAnyDomain) left->front() = right->front();
  return left == right;
}

/// Compares the driver's index of `gpu` with that of `own`, derived from the variables.
Measured<bool> compare_numbers(const GpuIdentity& gpu, const RunGpu& own, bool has_unlike) {
  if (!own.visible_devices) return false;
  if (!own.visible_devices->has_value()) return missing("the result does not record CUDA_VISIBLE_DEVICES");
  if (!gpu.index) return missing("UUID, PCI address and index are not known for both");
  const std::vector<std::string_view> variables = split_fields(own.visible_devices->value(), ';');
  if (has_unlike && std::ranges::find(variables, "CUDA_DEVICE_ORDER=PCI_BUS_ID") == variables.end())
    return missing("CUDA's order of different GPU models is unknown without CUDA_DEVICE_ORDER=PCI_BUS_ID");
  std::optional<std::int64_t> number = parse_whole(own.device.substr(kGpuPrefix.size()));
  for (const std::string_view variable : variables) {
    if (!number || !variable.starts_with(kCudaList)) continue;
    const auto words = split_fields(variable.substr(std::string_view(kCudaList).size() + 1), ',');
    const auto place = static_cast<std::size_t>(*number);
    number = place < words.size() ? parse_whole(words[place]) : std::nullopt;
    if (!number) return missing("{} has no index for {}", variable, own.device);
  }
  return gpu.index == number;
}

Measured<bool> compare(const GpuIdentity& gpu, const RunGpu& own, bool has_unlike) {
  const auto by_address = is_same_pci_address(gpu.pci_address, own.pci_address);
  const auto by_uuid = is_same_uuid(gpu.uuid, own.uuid);
  // A MIG partition has its own UUID and the PCI address of the GPU.
  const bool has_own_uuid = by_uuid == false && by_address == true;
  const bool is_part = own.model.find(" MIG ") != std::string::npos;  // "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
  if (has_own_uuid || (is_part && by_address != false)) return missing("{} is a MIG partition", own.device);
  if (by_uuid) return *by_uuid;
  return by_address ? Measured<bool>(*by_address) : compare_numbers(gpu, own, has_unlike);
}

std::vector<RunGpu> list_gpus(const Environment& run) {
  std::vector<RunGpu> gpus;
  for (const DeviceRecord& device : run.devices) {
    gpus.push_back({device.name, device.model, device.uuid.value_or(""), device.pci_address.value_or(""),
                    run.visible_devices});
  }
  for (const RankRecord& rank : run.ranks) {
    gpus.push_back({rank.device, rank.device_model, rank.device_uuid.value_or("")});
    if (rank.host != run.host) continue;
    gpus.back().pci_address = rank.device_pci_address.value_or("");
    gpus.back().visible_devices = rank.visible_devices;
  }
  std::erase_if(gpus, [](const RunGpu& gpu) { return !gpu.device.starts_with(kGpuPrefix); });
  return gpus;
}

/// Returns true if GPU models differ. Some tools omit the vendor: "H200" equals "NVIDIA H200".
bool have_different_models(std::span<const GpuIdentity> gpus, const std::vector<RunGpu>& own) {
  std::vector<std::string> models = mapped(gpus, &GpuIdentity::model);
  append(models, mapped(own, &RunGpu::model));
  std::erase(models, "");
  return std::ranges::any_of(models, [&](const std::string& model) {
    return !model.ends_with(models.front()) && !models.front().ends_with(model);
  });
}

}  // namespace

std::vector<GpuMatch> match_gpus(std::span<const GpuIdentity> gpus, const Environment& run) {
  const std::vector<RunGpu> own = list_gpus(run);
  const bool has_unlike = have_different_models(gpus, own);
  const Measured<bool> yes = true;
  const auto is_taken = [&](const RunGpu& candidate) {
    return std::ranges::any_of(
        gpus, [&](const GpuIdentity& gpu) { return compare(gpu, candidate, has_unlike) == yes; });
  };
  std::vector<GpuMatch> matches(gpus.size());
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    for (const RunGpu& candidate : own) {
      const Measured<bool> answer = compare(gpus[i], candidate, has_unlike);
      if (answer == yes) {
        matches[i] = {candidate.device, ""};
        break;
      }
      if (!answer.has_value() && !is_taken(candidate)) matches[i].why_unknown = answer.reason();
    }
  }
  return matches;
}

std::string visible_devices() {
  std::vector<std::string> set;
  for (const char* const name : {kCudaList, kCudaOrder}) {
    if (const char* const value = std::getenv(name)) set.push_back(fmt::format("{}={}", name, value));
  }
  return set.empty() ? "none" : join(set, "; ");
}

}  // namespace gpubench
