#include "gpubench/compare/contender.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "compare/contender_cases.h"

namespace gpubench {
namespace {

DeviceRecord device_named(const Environment& environment, const std::string& name) {
  for (const DeviceRecord& device : environment.devices) {
    if (device.name == name) return device;
  }
  DeviceRecord unknown;
  unknown.name = name;
  return unknown;
}

Contender contender_of(const RunRecord& run, const std::string& file, const std::string& device) {
  Contender contender;
  contender.file = file;
  contender.host = run.environment.host;
  contender.device = device_named(run.environment, device);
  contender.libtorch_version = run.environment.libtorch_version;
  contender.allocator = run.environment.allocator;
  contender.isolation = run.plan.isolation;
  contender.cpu = run.environment.cpu;
  contender.threads = run.environment.threads;
  contender.started_at = run.tool.started_at;
  if (run.published) {
    contender.publication = run.published->title;
    contender.publication_note = run.published->note;
  }
  return contender;
}

Contender& contender_for(const std::string& device, const RunRecord& run, const std::string& file,
                         std::vector<Contender>& contenders) {
  const auto found = std::find_if(contenders.begin(), contenders.end(), [&](const Contender& contender) {
    return contender.device.name == device;
  });
  if (found != contenders.end()) return *found;
  contenders.push_back(contender_of(run, file, device));
  return contenders.back();
}

}  // namespace

std::vector<Contender> contenders_of(const RunRecord& run, const std::string& file, Intervals intervals) {
  std::vector<Contender> contenders;
  for (const std::vector<std::size_t>& repeats : repeats_of(run)) {
    Contender& contender = contender_for(run.cases[repeats.front()].device, run, file, contenders);
    contender.cases.push_back(figures_of(run, repeats, intervals));
  }
  return contenders;
}

bool is_cpu(const Contender& contender) {
  if (contender.publication.empty()) return contender.device.name == "cpu";
  std::istringstream words(contender.device.name);
  return std::find(std::istream_iterator<std::string>(words), {}, "CPU") !=
         std::istream_iterator<std::string>();
}

std::string description_of(const Contender& contender) {
  const DeviceRecord& device = contender.device;
  if (!contender.publication.empty()) return fmt::format("{}, published", device.name);
  const std::string model = device.model.empty() ? "" : fmt::format(" ({})", device.model);
  return contender.host.empty() ? device.name + model
                                : fmt::format("{}, {}{}", contender.host, device.name, model);
}

}  // namespace gpubench
