#pragma once
// Texts of warnings.

#include <string>
#include <vector>

#include "gpubench/record/warning.h"

namespace gpubench::test {

inline std::vector<std::string> make_texts(const std::vector<Warning>& warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(warning.text);
  return texts;
}

}  // namespace gpubench::test
