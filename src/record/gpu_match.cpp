#include "gpubench/record/gpu_match.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/run_record.h"

namespace gpubench {
namespace {

constexpr const char* kCudaList = "CUDA_VISIBLE_DEVICES";
constexpr const char* kCudaOrder = "CUDA_DEVICE_ORDER";
constexpr std::string_view kGpuPrefix = "cuda:";

/// A GPU of the run, from a device or from a rank.
struct RunGpu {
  std::string device;
  std::string model;
  std::string uuid;
  std::string pci_address;
  std::optional<Measured<std::string>> visible_devices;  ///< Nothing of a rank on another host.
};

std::optional<unsigned> number_in(std::string_view text, int base) {
  unsigned number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number, base);
  return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

/// The hexadecimal digits of a UUID, or of the start of one; empty for other text, such as a redacted UUID.
std::string uuid_digits(std::string_view text) {
  std::string digits(text);
  std::ranges::transform(digits, digits.begin(), [](unsigned char c) { return std::tolower(c); });
  for (const std::string_view prefix : {"gpu-", "0x"}) {
    if (digits.starts_with(prefix)) digits.erase(0, prefix.size());
  }
  std::erase(digits, '-');
  return digits.find_first_not_of("0123456789abcdef") == std::string::npos ? digits : "";
}

/// Whether both name one UUID; nothing where either is unknown or they are of different kinds.
std::optional<bool> is_same_uuid(std::string_view one, std::string_view other) {
  const std::string left = uuid_digits(one);
  const std::string right = uuid_digits(other);
  if (left.empty() || left.size() != right.size()) return std::nullopt;
  return left == right;
}

struct PciAddress {
  std::optional<unsigned> domain{};
  std::array<unsigned, 3> place{};  ///< Bus, device and function.
};

/// "00000000:65:00.0", "65:00.0", "65:00".
std::optional<PciAddress> pci_address_in(std::string_view text) {
  PciAddress address;
  std::vector<std::string_view> parts = split_fields(text, ':');
  if (parts.size() == 3) {
    address.domain = number_in(parts.front(), 16);
    if (!address.domain) return std::nullopt;
    parts.erase(parts.begin());
  }
  if (parts.size() != 2) return std::nullopt;
  const auto point = parts[1].find('.');
  const auto bus = number_in(parts[0], 16);
  const auto device = number_in(parts[1].substr(0, point), 16);
  const auto function = point == std::string_view::npos ? 0U : number_in(parts[1].substr(point + 1), 16);
  if (!bus || !device || !function) return std::nullopt;
  address.place = {*bus, *device, *function};
  return address;
}

std::optional<bool> is_same_pci_address(std::string_view one, std::string_view other) {
  const auto left = pci_address_in(one);
  const auto right = pci_address_in(other);
  if (!left || !right) return std::nullopt;
  const bool is_other_domain = left->domain && right->domain && *left->domain != *right->domain;
  return !is_other_domain && left->place == right->place;
}

bool are_different(const GpuIdentity& one, const GpuIdentity& other) {
  if (const auto is_same = is_same_uuid(one.uuid, other.uuid)) return !*is_same;
  if (const auto is_same = is_same_pci_address(one.pci_address, other.pci_address)) return !*is_same;
  return one.index && other.index && *one.index != *other.index;
}

/// The value of a variable in `variables`, a text as Environment::visible_devices.
std::optional<std::string> find_value(const std::string& variables, const std::string& name) {
  for (const std::string_view entry : split_fields(variables, ';')) {
    if (entry.starts_with(name + "=")) return std::string(entry.substr(name.size() + 1));
  }
  return std::nullopt;
}

/// Returns the driver's number or the start of a UUID that variables show as `gpu`, or why neither is known.
Measured<std::string> shown_as(const RunGpu& gpu, const std::string& variables) {
  const std::string own = gpu.device.substr(kGpuPrefix.size());
  const std::optional<std::string> list = find_value(variables, kCudaList);
  const auto place = number_in(own, 10);
  if (!list || !place) return own;
  const auto words = split_fields(*list, ',');
  if (*place >= words.size()) return missing("{}={} has no entry for {}", kCudaList, *list, gpu.device);
  const std::string word(words[*place]);
  if (word.starts_with("MIG-")) return missing("{}={} names a MIG part of a GPU", kCudaList, *list);
  const bool is_uuid = word.starts_with("GPU-") && !uuid_digits(word).empty();
  if (is_uuid || number_in(word, 10)) return word;
  return missing("{}={} names no GPU as {}", kCudaList, *list, gpu.device);
}

/// Compares `gpu` with what the variables show as `own`.
Measured<bool> compare_shown(const GpuIdentity& gpu, const RunGpu& own, bool has_unlike) {
  if (!own.visible_devices) return false;
  if (!own.visible_devices->has_value()) return missing("the result does not record CUDA_VISIBLE_DEVICES");
  const std::string& variables = own.visible_devices->value();
  const Measured<std::string> shown = shown_as(own, variables);
  if (!shown.has_value()) return missing(shown.reason());
  const auto number = number_in(shown.value(), 10);
  if (!number) {
    const std::string digits = uuid_digits(gpu.uuid);
    if (digits.empty()) return missing("{} was chosen by its UUID", own.device);
    return digits.starts_with(uuid_digits(shown.value()));
  }
  if (!gpu.index) return missing("neither UUID, PCI address nor index are known of both");
  if (has_unlike && find_value(variables, kCudaOrder) != "PCI_BUS_ID")
    return missing("GPUs of several models have CUDA's own order unless CUDA_DEVICE_ORDER is PCI_BUS_ID");
  return *gpu.index == static_cast<std::int64_t>(*number);
}

/// "NVIDIA A100-SXM4-40GB MIG 1g.5gb".
bool is_part(const RunGpu& gpu) { return gpu.model.find(" MIG ") != std::string::npos; }

Measured<bool> compare(const GpuIdentity& gpu, const RunGpu& own, bool has_unlike) {
  const auto by_address = is_same_pci_address(gpu.pci_address, own.pci_address);
  const auto by_uuid = is_same_uuid(gpu.uuid, own.uuid);
  // CUDA gives a part of a GPU a UUID of its own and the address of the whole.
  const bool has_own_uuid = by_uuid == false && by_address == true;
  if (has_own_uuid || (is_part(own) && by_address != false))
    return missing("{} is a MIG part of a GPU", own.device);
  if (by_uuid) return *by_uuid;
  return by_address ? Measured<bool>(*by_address) : compare_shown(gpu, own, has_unlike);
}

std::string or_empty(const Measured<std::string>& reading) {
  return reading.has_value() ? reading.value() : "";
}

std::vector<RunGpu> list_gpus(const Environment& run) {
  std::vector<RunGpu> gpus;
  for (const DeviceRecord& device : run.devices) {
    gpus.push_back({device.name, device.model, or_empty(device.uuid), or_empty(device.pci_address),
                    run.visible_devices});
  }
  for (const RankRecord& rank : run.ranks) {
    RunGpu gpu{rank.device, rank.device_model, or_empty(rank.device_uuid), "", std::nullopt};
    if (rank.host == run.host) {
      gpu.pci_address = or_empty(rank.device_pci_address);
      gpu.visible_devices = rank.visible_devices;
    }
    gpus.push_back(std::move(gpu));
  }
  std::erase_if(gpus, [](const RunGpu& gpu) { return !gpu.device.starts_with(kGpuPrefix); });
  return gpus;
}

/// Some tools leave the maker out.
std::string without_maker(const std::string& model) {
  constexpr std::string_view kMaker = "NVIDIA ";
  return model.starts_with(kMaker) ? model.substr(kMaker.size()) : model;
}

bool are_models_unlike(std::span<const GpuIdentity> gpus, const std::vector<RunGpu>& own) {
  std::vector<std::string> models;
  for (const GpuIdentity& gpu : gpus) models.push_back(without_maker(gpu.model));
  for (const RunGpu& gpu : own) models.push_back(without_maker(gpu.model));
  std::erase(models, "");
  return std::ranges::adjacent_find(models, std::not_equal_to()) != models.end();
}

}  // namespace

std::vector<GpuMatch> match_gpus(std::span<const GpuIdentity> gpus, const Environment& run) {
  const std::vector<RunGpu> own = list_gpus(run);
  const bool has_unlike = are_models_unlike(gpus, own);
  const auto answers_for = [&](const GpuIdentity& gpu) {
    return mapped(own, [&](const RunGpu& candidate) { return compare(gpu, candidate, has_unlike); });
  };
  const std::vector<std::vector<Measured<bool>>> answers = mapped(gpus, answers_for);
  // Whether another GPU of the list is, as far as is known, that device of the run.
  const auto is_taken = [&](std::size_t gpu, std::size_t candidate) {
    for (std::size_t other = 0; other < gpus.size(); ++other) {
      if (answers[other][candidate] == Measured<bool>(true) && are_different(gpus[gpu], gpus[other]))
        return true;
    }
    return false;
  };
  std::vector<GpuMatch> matches(gpus.size());
  for (std::size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    GpuMatch& match = matches[gpu];
    for (std::size_t candidate = 0; candidate < own.size(); ++candidate) {
      const Measured<bool>& answer = answers[gpu][candidate];
      if (answer == Measured<bool>(false)) continue;
      const bool is_disputed = is_taken(gpu, candidate);
      if (answer.has_value() && is_disputed) {
        match = {"", "several GPUs could be " + own[candidate].device};
      } else if (answer.has_value()) {
        match = {own[candidate].device, ""};
        break;
      } else if (!is_disputed) {
        match.why_unknown = answer.reason();
      }
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
