#pragma once
// What `gpubench selftest` found: whether what gpubench says of a device is true.

#include <array>
#include <string>
#include <vector>

#include "gpubench/core/measured.h"
#include "gpubench/core/units.h"
#include "gpubench/record/environment.h"
#include "gpubench/record/names.h"

namespace gpubench {

/// How a check ended.
enum class CheckStatus {
  kPass,
  kFail,
  kUnchecked,  ///< It cannot be checked here; the message says why.
};
inline constexpr std::array kCheckStatusNames{"pass", "fail", "unchecked"};
constexpr EnumNames<CheckStatus> enum_names(CheckStatus) { return {"status of a check", kCheckStatusNames}; }

/// One thing that was checked.
struct CheckRow {
  std::string device;   ///< "cuda:0".
  std::string check;    ///< Name of the check in its catalog: "losses".
  std::string subject;  ///< What of it: "cnn", "bf16"; empty for a check of a single row.
  std::string claim;    ///< What is true where it passes.
  CheckStatus status = CheckStatus::kFail;
  std::string message;           ///< What was found, or why it cannot be checked.
  Measured<double> deviation{};  ///< How far off it was, where that is a number,
  Measured<double> tolerance{};  ///< and how far off it may be.
  Seconds duration{};            ///< Of the whole check, in each of its rows.
};

/// All checks of a device, in their order.
struct SelftestRecord {
  ToolRecord tool;
  Environment environment;
  std::vector<CheckRow> checks;
};

}  // namespace gpubench
