#include <algorithm>
#include <array>

#include "power/entries.h"
#include "power/parts/nvml_library.h"
#include "power/parts/nvml_sources.h"

namespace gpubench {
namespace {

using Library = std::shared_ptr<const NvmlLibrary>;

struct ClockReason {
  std::uint64_t bit;
  const char* word;
};

/// nvmlClocksEventReasons, but 0x1: a GPU without work is not held down.
constexpr std::array<ClockReason, 8> kClockReasons = {{
    {0x004, "power cap"},
    {0x020, "heat"},
    {0x040, "heat"},
    {0x080, "power brake"},
    {0x008, "hardware slowdown"},
    {0x010, "sync boost"},
    {0x002, "clock setting"},
    {0x100, "display clock"},
}};
/// The slowdown of 0x8 has these for its reason.
constexpr std::uint64_t kSlowdown = 0x008;
constexpr std::uint64_t kReasonsOfSlowdown = 0x040 | 0x080;

/// How a GPU tells its power; the earlier the better.
enum class PowerQuery { kInstant, kAverage, kUsage };

Reading<Watts> ask_power(const NvmlLibrary& library, NvmlDevice device, PowerQuery query) {
  switch (query) {
    case PowerQuery::kInstant:
      return library.power(device, NvmlPowerField::kInstant);
    case PowerQuery::kAverage:
      return library.power(device, NvmlPowerField::kAverage);
    case PowerQuery::kUsage:
      break;
  }
  return library.power_usage(device);
}

/// A driver too old for the fields does not tell which of both its figure is.
std::string quantity_of(PowerQuery query) {
  if (query == PowerQuery::kInstant) return "instantaneous power";
  return query == PowerQuery::kAverage ? "power averaged over 1 s"
                                       : "power, instantaneous or averaged over 1 s";
}

class NvmlSource : public PowerSource {
 public:
  NvmlSource(Library library, NvmlDevice device, PowerSourceFacts facts)
      : library_(std::move(library)), device_(device), facts_(std::move(facts)) {
    choose_query();
  }

  PowerSourceFacts facts() const override { return facts_; }

  PowerReading read() override {
    PowerReading reading;
    reading.energy = library_->energy(device_);
    reading.power = ask_power(*library_, device_, query_);
    reading.temperature = library_->temperature(device_);
    reading.clock = library_->clock(device_);
    reading.limit = library_->limit(device_);
    const Reading<std::uint64_t> reasons = library_->clock_reasons(device_);
    if (reasons.has_value()) reading.throttle = throttle_words(reasons.value());
    return reading;
  }

 private:
  void choose_query() {
    for (const PowerQuery query : {PowerQuery::kInstant, PowerQuery::kAverage, PowerQuery::kUsage}) {
      query_ = query;
      if (!ask_power(*library_, device_, query).has_value()) continue;
      facts_.power_quantity = quantity_of(query);
      if (query == PowerQuery::kAverage) facts_.averaging = Seconds{1};
      return;
    }
  }

  Library library_;
  NvmlDevice device_;
  PowerSourceFacts facts_;
  PowerQuery query_ = PowerQuery::kUsage;
};

/// A GPU that the driver lists.
struct FoundGpu {
  NvmlDevice device;
  ListedGpu listed;
  std::string part;
};

std::string text_of(const Reading<std::string>& text) { return text.has_value() ? text.value() : ""; }

/// In the driver's order; `why_not` names one that does not answer.
std::vector<FoundGpu> find_gpus(const NvmlLibrary& library, std::string& why_not) {
  std::vector<FoundGpu> gpus;
  const Reading<unsigned> count = library.count();
  why_not = count.has_value() ? "the NVIDIA driver lists no GPU" : count.reason();
  for (unsigned index = 0; count.has_value() && index < count.value(); ++index) {
    const Reading<NvmlDevice> device = library.device(index);
    if (!device.has_value()) {
      why_not = device.reason();
      continue;
    }
    const std::string name = text_of(library.name(device.value()));
    gpus.push_back({device.value(),
                    {name, text_of(library.uuid(device.value()))},
                    "GPU " + std::to_string(index) + (name.empty() ? "" : " " + name)});
  }
  return gpus;
}

std::vector<std::optional<std::string>> devices_of(const std::vector<FoundGpu>& gpus,
                                                   const CudaVariables& variables) {
  std::vector<ListedGpu> listed;
  for (const FoundGpu& gpu : gpus) listed.push_back(gpu.listed);
  return cuda_devices(listed, variables);
}

/// nullptr, with the reason, where the GPU tells neither energy nor power.
std::unique_ptr<PowerSource> open_gpu(const Library& library, const FoundGpu& gpu, const std::string& device,
                                      std::string& why_not) {
  PowerSourceFacts facts;
  facts.meter = "nvml";
  facts.part = gpu.part;
  facts.device = device;
  facts.scope = PowerScope::kGpuBoard;
  facts.accuracy = "within 5 W (NVIDIA, manual of nvidia-smi); Fermi and Kepler within 5 % (nvml.h)";
  auto source = std::make_unique<NvmlSource>(library, gpu.device, std::move(facts));
  const PowerReading reading = source->read();
  if (reading.energy.has_value() || reading.power.has_value()) return source;
  why_not = gpu.part + ": " + reading.energy.reason() + "; " + reading.power.reason();
  return nullptr;
}

std::vector<std::unique_ptr<PowerSource>> open(const MeterRequest&, std::string& why_not) {
  return nvml_sources("libnvidia-ml.so.1", cuda_variables(), why_not);
}

}  // namespace

std::string throttle_words(std::uint64_t clock_reasons) {
  if ((clock_reasons & kReasonsOfSlowdown) != 0) clock_reasons &= ~kSlowdown;
  std::vector<std::string> words;
  for (const auto& [bit, word] : kClockReasons) {
    const bool is_new = std::find(words.begin(), words.end(), word) == words.end();
    if ((clock_reasons & bit) != 0 && is_new) words.emplace_back(word);
  }
  return join(words);
}

std::vector<std::unique_ptr<PowerSource>> nvml_sources(const std::string& library_path,
                                                       const CudaVariables& variables, std::string& why_not) {
  std::vector<std::unique_ptr<PowerSource>> sources;
  const Library library = NvmlLibrary::load(library_path, why_not);
  if (library == nullptr) return sources;
  const std::vector<FoundGpu> gpus = find_gpus(*library, why_not);
  const auto devices = devices_of(gpus, variables);
  if (!gpus.empty()) why_not = "CUDA_VISIBLE_DEVICES leaves no GPU";
  for (std::size_t index = 0; index < gpus.size(); ++index) {
    if (!devices[index].has_value()) continue;
    auto source = open_gpu(library, gpus[index], *devices[index], why_not);
    if (source != nullptr) sources.push_back(std::move(source));
  }
  if (!sources.empty()) why_not.clear();
  return sources;
}

MeterEntry entry_nvml() { return {"nvml", "NVIDIA GPUs, from the driver's management library", true, open}; }

}  // namespace gpubench
