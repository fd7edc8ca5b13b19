#pragma once
// Checks of what gpubench reports about a device. docs/selftest.md has them all.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/record/selftest_record.h"
#include "power/trace/diagnosis.h"

namespace gpubench {

struct CheckInfo {
  std::string name;
  std::string claim;  ///< True if the check passes.
};

/// Parts of the program that checks need.
struct SelftestMeans {
  const Clock& other_clock;  ///< Independent of the one that measures.
  std::function<Dataset(const DataSpec& spec, const SplitSizes& sizes)> make_data;
  std::function<PowerTrial(const std::function<void()>& load)> try_power;
};

}  // namespace gpubench
