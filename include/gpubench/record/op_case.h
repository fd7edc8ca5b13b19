#pragma once
// The sizes of a row of an operation's table. No LibTorch.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"

namespace gpubench {

/// Sizes of the tensors as the published tables name them, channels last, and the axis where there is one.
struct OpCase {
  std::vector<std::vector<std::int64_t>> tensors;
  std::optional<std::int64_t> axis = std::nullopt;

  friend bool operator==(const OpCase&, const OpCase&) = default;
};

/// The description of an operation.
struct OpInfo {
  std::string name;     ///< Command-line name: "conv2d".
  std::string summary;  ///< One line for `gpubench list ops`.
  std::string sizes;    ///< Meaning of a row's sizes: "NxHxWxC OxKxKxC".

  std::vector<OpCase> published_cases;
  std::vector<OpCase> small_cases;  ///< The same kinds of work in a tenth of a second or less on a CPU.
};

/// All operations, in the order of src/ops/catalog/catalog.def.
const Catalog<OpInfo>& op_catalog();

/// "64x1024x128 axis=0"; "64x256 1000" for two tensors.
std::string to_string(const OpCase& c);

/// The same read back. Throws a usage Error that begins with `option`.
OpCase parse_op_case(const std::string& text, const std::string& option);

/// Number of values of tensor `index`.
double get_count(const OpCase& c, std::size_t index);

}  // namespace gpubench
