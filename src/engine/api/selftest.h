#pragma once
// Checks of whether what gpubench says of a device is true: the catalog's lines, and what the engine needs of
// the program to run them. docs/selftest.md has them all.

#include <functional>
#include <string>
#include <vector>

#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/record/selftest_record.h"
#include "power/trace/diagnosis.h"

namespace gpubench {

/// A check of the catalog.
struct CheckInfo {
  std::string name;
  std::string claim;  ///< What is true where it passes.
};

/// What checks need that is no part of the engine.
struct SelftestMeans {
  const Clock& other_clock;  ///< Independent of the one that measures.
  std::function<Dataset(const DataSpec& spec, const SplitSizes& sizes)> make_data;
  std::function<PowerTrial(const std::function<void()>& load)> try_power;
};

}  // namespace gpubench
