#pragma once
// Parameters of an operation or a collective. Their tables, op_parameters.h, have names, options, defaults,
// ranges and help.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/units.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// Types of numbers that operations are run with.
enum class OpType { kFp32, kFp16, kBf16, kFp64, kInt32, kInt64 };
inline constexpr std::array kOpTypeNames{"fp32", "fp16", "bf16", "fp64", "int32", "int64"};
constexpr EnumNames<OpType> enum_names(OpType) { return {"type", kOpTypeNames}; }

/// In the order above.
inline std::vector<OpType> all_op_types() {
  return {OpType::kFp32, OpType::kFp16, OpType::kBf16, OpType::kFp64, OpType::kInt32, OpType::kInt64};
}

/// Content of a call: the operation alone, or with the gradients of all of its inputs.
enum class OpDirection { kForward, kForwardBackward };
inline constexpr std::array kOpDirectionNames{"forward", "forward+backward"};
constexpr EnumNames<OpDirection> enum_names(OpDirection) { return {"direction", kOpDirectionNames}; }

/// State of the caches before a call: the inputs where the last call left them, or other data.
enum class OpCache { kWarm, kCold };
inline constexpr std::array kOpCacheNames{"warm", "cold"};
constexpr EnumNames<OpCache> enum_names(OpCache) { return {"cache", kOpCacheNames}; }

/// Protocols of timing calls.
enum class OpProtocol {
  kDefault,  ///< Samples until their time is up.
  kS4,       ///< The second of two calls, as the published tables have it.
};
inline constexpr std::array kOpProtocolNames{"default", "s4"};
constexpr EnumNames<OpProtocol> enum_names(OpProtocol) { return {"protocol", kOpProtocolNames}; }

/// A point of a grid of operations. A default-constructed one is empty; a Grid has the defaults.
struct OpPoint {
  std::string op;     ///< "matmul".
  std::string sizes;  ///< "64x1024x128 axis=0", as parse_op_case() reads them.
  OpType type = OpType::kFp32;
  OpDirection direction = OpDirection::kForward;
  OpCache cache = OpCache::kWarm;
  std::string device;       ///< "auto" or a name such as "cuda:0".
  std::int64_t ranks = 1;   ///< Processes of a collective.
  std::int64_t repeat = 1;  ///< Repetition, from 1. Each has a process of its own.
  std::int64_t seed = 0;    ///< Of the inputs.
  Seconds sample{0.005};    ///< Minimum time of a sample.
  Seconds limit{0.5};       ///< No sample begins later, except the first three within 10 s.
  std::int64_t most_samples = 100;
  OpProtocol protocol = OpProtocol::kDefault;

  friend bool operator==(const OpPoint&, const OpPoint&) = default;
};

}  // namespace gpubench
