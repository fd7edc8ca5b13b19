#pragma once
// What is known of an operation without LibTorch.

#include <string>
#include <vector>

#include "gpubench/record/op_case.h"

namespace gpubench {

/// As the members of the same names of OpEntry in op.h.
struct OpInfo {
  std::string name;
  std::string summary;
  std::string sizes;
  std::vector<OpCase> published_cases;
  std::vector<OpCase> small_cases;
};

}  // namespace gpubench
