#pragma once
// Short names of the cases of a run: what distinguishes them, and no more.

#include <set>
#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// Knows in what the cases of a run differ.
class CaseNames {
 public:
  explicit CaseNames(const std::vector<CaseRecord>& cases);

  /// Without the batch: "mlp on cpu, bf16". Device, dataset and sizes only where they differ.
  std::string line(const CaseRecord& c) const;

  /// The sizes in which the cases of its model differ, "hidden=500, layers=4", and those in which they do
  /// not.
  std::string told_sizes(const CaseRecord& c) const;
  std::string common_sizes(const CaseRecord& c) const;

  /// Of all repeats: "mlp on cpu, bf16, batch 128".
  std::string batch(const CaseRecord& c) const;

  /// Of the one case: "mlp on cpu, bf16, batch 128, repeat 2".
  std::string whole(const CaseRecord& c) const;

 private:
  bool tells_device_;
  bool tells_dataset_;
  bool tells_repeat_;
  std::set<std::string> told_sizes_;  ///< Names of the sizes in which cases of one model differ.
};

}  // namespace gpubench
