#pragma once
// Sizes of operations. No LibTorch.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"

namespace gpubench {

/// Tensor sizes in the notation of the published tables, channels last, and an optional axis.
struct OpCase {
  std::vector<std::vector<std::int64_t>> tensors;
  std::optional<std::int64_t> axis = std::nullopt;

  friend bool operator==(const OpCase&, const OpCase&) = default;
};

struct OpInfo {
  std::string name;     ///< Command-line name: "conv2d".
  std::string summary;  ///< One line for `gpubench list ops`.
  std::string sizes;    ///< Meaning of a row's sizes: "NxHxWxC OxKxKxC".

  std::vector<OpCase> published_cases;
  std::vector<OpCase> small_cases;  ///< Smaller sizes, at most 0.1 s on a CPU.
};

/// Returns all operations, in the order of src/ops/catalog/catalog.def.
const Catalog<OpInfo>& op_catalog();

/// Formats "64x1024x128 axis=0", or "64x256 1000" for two tensors.
std::string to_string(const OpCase& c);

/// Parses the format of to_string(). Throws a usage Error that starts with `option`.
OpCase parse_op_case(const std::string& text, const std::string& option);

/// Returns the number of elements of tensor `index`.
double get_count(const OpCase& c, std::size_t index);

}  // namespace gpubench
