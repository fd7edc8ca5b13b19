// Fake of the NVIDIA management library, with the functions that gpubench calls. Environment variables:
//   FAKE_NVML_GPUS      Names and UUIDs, "NVIDIA H200=GPU-11,NVIDIA T4=GPU-22"; unset: a driver without
//                       GPUs. The PCI addresses are 0000:01:00.0, 0000:02:00.0, ...
//   FAKE_NVML_MISSING   Unsupported calls, e.g. "energy,instant,average,usage,limit"
//   FAKE_NVML_LOST      If set, all GPUs are lost
//   FAKE_NVML_REASONS   Bits of the clock reasons
//   FAKE_NVML_LINKS     NVLink between all GPUs ("nvlink"), or between 0 and 1, 2 and 3, ... ("pairs"). Pairs
//                       always share a PCIe switch; other GPUs are connected through processors
//   FAKE_NVML_INIT      Return code of nvmlInit_v2

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string>
#include <vector>

namespace {

constexpr int kSuccess = 0;
constexpr int kInvalidArgument = 2;
constexpr int kNotSupported = 3;
constexpr int kGpuIsLost = 15;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> gpus() {
  std::vector<std::string> all;
  std::istringstream list(variable("FAKE_NVML_GPUS"));
  for (std::string gpu; std::getline(list, gpu, ',');) all.push_back(gpu);
  return all;
}

/// Returns the return code of a call.
int find_code(const std::string& call) {
  if (std::getenv("FAKE_NVML_LOST") != nullptr) return kGpuIsLost;
  return ("," + variable("FAKE_NVML_MISSING") + ",").find("," + call + ",") == std::string::npos
             ? kSuccess
             : kNotSupported;
}

template <class Number>
int answer(const std::string& call, Number value, Number* out) {
  const int code = find_code(call);
  if (code == kSuccess) *out = value;
  return code;
}

/// Returns the GPU of a handle, which is its index plus 1, because handles must not be null.
std::string find_gpu(void* device) { return gpus().at(reinterpret_cast<std::uintptr_t>(device) - 1); }

int copy_text(const std::string& text, char* out, unsigned length) {
  if (text.size() >= length) return kInvalidArgument;
  std::memcpy(out, text.c_str(), text.size() + 1);
  return kSuccess;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return std::atoi(variable("FAKE_NVML_INIT").c_str()); }
int nvmlShutdown() { return kSuccess; }

const char* nvmlErrorString(int code) {
  switch (code) {
    case kNotSupported:
      return "Not Supported";
    case 9:
      return "Driver Not Loaded";
    case 13:
      return "Function Not Found";
    case kGpuIsLost:
      return "GPU is lost";
    default:
      return "Unknown Error";
  }
}

int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = static_cast<unsigned>(gpus().size());
  return kSuccess;
}

int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  *device = reinterpret_cast<void*>(std::uintptr_t{index} + 1);
  return kSuccess;
}

int nvmlDeviceGetName(void* device, char* name, unsigned length) {
  const std::string gpu = find_gpu(device);
  return copy_text(gpu.substr(0, gpu.find('=')), name, length);
}

int nvmlDeviceGetUUID(void* device, char* uuid, unsigned length) {
  const std::string gpu = find_gpu(device);
  return copy_text(gpu.substr(gpu.find('=') + 1), uuid, length);
}

struct PciInfo {
  char old_bus_id[16];
  unsigned domain;
  unsigned bus;
  unsigned device;
  unsigned ids[2];
  char bus_id[32];
};

int nvmlDeviceGetPciInfo_v3(void* device, PciInfo* info) {
  const auto bus = static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(device));
  return answer("pci", PciInfo{"", 0, bus, 0, {}, ""}, info);
}

int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts) { return answer("usage", 301'000U, milliwatts); }

int nvmlDeviceGetTemperature(void*, int sensor, unsigned* degrees) {
  return sensor == 0 ? answer("temperature", 61U, degrees) : kInvalidArgument;
}

int nvmlDeviceGetClockInfo(void*, int type, unsigned* megahertz) {
  return answer("clock", type == 1 ? 1980U : 0U, megahertz);
}

int nvmlDeviceGetEnforcedPowerLimit(void*, unsigned* milliwatts) {
  return answer("limit", 700'000U, milliwatts);
}

#ifndef GPUBENCH_FAKE_NVML_IS_OLD

int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
  return answer("energy", 123'456'789ULL, millijoules);
}

/// Returns the index of the pair that a GPU belongs to.
static std::uintptr_t find_pair(void* device) { return (reinterpret_cast<std::uintptr_t>(device) - 1) / 2; }

int nvmlDeviceGetP2PStatus(void* from, void* to, int index, int* status) {
  const std::string links = variable("FAKE_NVML_LINKS");
  const bool is_joined = links == "nvlink" || (links == "pairs" && find_pair(from) == find_pair(to));
  return index == 2 ? answer("peers", is_joined ? 0 : 5, status) : kInvalidArgument;
}

int nvmlDeviceGetNvLinkState(void*, unsigned link, int* is_active) {
  return link < 18 ? answer("nvlink-state", 1, is_active) : kInvalidArgument;
}

int nvmlDeviceGetTopologyCommonAncestor(void* from, void* to, unsigned* level) {
  return answer("ancestor", find_pair(from) == find_pair(to) ? 10U : 50U, level);
}

int nvmlDeviceGetMaxPcieLinkGeneration(void*, unsigned* generation) {
  return answer("generation", 5U, generation);
}

int nvmlDeviceGetMaxPcieLinkWidth(void*, unsigned* width) { return answer("width", 16U, width); }

struct FieldValue {
  unsigned field;
  unsigned scope;
  long long times[2];
  int type;
  int result;
  unsigned long long value;
};

int nvmlDeviceGetFieldValues(void*, int count, FieldValue* values) {
  for (FieldValue* field = values; field != values + count; ++field) {
    field->type = 3;
    if (field->field == 186) field->result = answer("instant", 302'500ULL, &field->value);
    if (field->field == 185) field->result = answer("average", 303'000ULL, &field->value);
    if (field->field == 90) field->result = answer("nvlink-speed", 26'562ULL, &field->value);
  }
  return std::getenv("FAKE_NVML_LOST") != nullptr ? kGpuIsLost : kSuccess;
}

int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons) {
  return answer("reasons", std::strtoull(variable("FAKE_NVML_REASONS").c_str(), nullptr, 0), reasons);
}

#endif
}
