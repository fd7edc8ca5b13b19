#include "gpubench/record/data_spec.h"

#include "gpubench/core/nearest.h"

namespace gpubench {

std::string to_string(const DataSpec& spec) {
  std::vector<std::string> extents;
  for (const std::int64_t extent : spec.sample_shape) extents.push_back(std::to_string(extent));
  return join(extents, "x") + ", " + std::to_string(spec.classes) + " classes";
}

}  // namespace gpubench
