#pragma once
// Warnings by their words.

#include <string>
#include <vector>

#include "gpubench/record/environment.h"

namespace gpubench::test {

inline std::vector<std::string> texts_of(const std::vector<Warning>& warnings) {
  std::vector<std::string> texts;
  for (const Warning& warning : warnings) texts.push_back(warning.text);
  return texts;
}

/// Of records as documents had them that held the texts alone.
template <class Record>
void keep_texts_alone(std::vector<Record>& records) {
  for (Record& record : records) {
    for (Warning& warning : record.warnings) warning = {kOtherWarning, {}, warning.text};
  }
}

}  // namespace gpubench::test
