#include "app/train_options.h"

namespace gpubench {

std::vector<std::pair<std::string, std::string>> outside_places(const TrainOptions& options) {
  const bool is_replayed = options.energy.meter.find("replay:") != std::string::npos;
  std::vector<std::pair<std::string, std::string>> places{
      {"--data-dir", options.data.data_dir},
      {"--base-url", options.data.base_url},
      {"--power-log", options.energy.raw_log},
      {"--trace", options.plan.trace},
      {"--meter", is_replayed ? options.energy.meter : ""}};
  std::erase_if(places, [](const auto& place) { return place.second.empty(); });
  return places;
}

}  // namespace gpubench
