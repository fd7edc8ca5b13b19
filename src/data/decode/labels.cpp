#include "data/decode/labels.h"

#include <cstring>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {

HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file) {
  HostArray targets{ElementType::kInt64, {static_cast<std::int64_t>(labels.size())}, {}};
  targets.bytes.resize(labels.size() * sizeof(std::int64_t));
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const auto label = std::to_integer<std::int64_t>(labels[i]);
    if (label >= classes) {
      file.reject(fmt::format("has label {} at sample {}, where labels are 0 to {}", label,
                              with_separators(static_cast<std::int64_t>(i)), classes - 1));
    }
    std::memcpy(targets.bytes.data() + i * sizeof label, &label, sizeof label);
  }
  return targets;
}

}  // namespace gpubench
