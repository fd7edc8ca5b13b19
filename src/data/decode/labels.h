#pragma once
// Class indices as files store them, one byte each.

#include <cstddef>
#include <cstdint>
#include <span>

#include "data/fetch/raw_file.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Targets of the samples that `labels` belong to. Rejects `file`, naming the sample, where one is not in
/// [0, classes).
HostArray targets_from(std::span<const std::byte> labels, std::int64_t classes, const RawFile& file);

}  // namespace gpubench
