#pragma once
// What smaller number formats gain, for people.

#include <string>
#include <vector>

#include "gpubench/record/run_record.h"

namespace gpubench {

/// "precision gain of cnn on cpu, batch 128: bf16 1.92, amp-bf16 1.40 (time in fp32 over its time)": a line
/// for each case that was measured in fp32 and otherwise, from the median epochs. Empty where there is none.
std::vector<std::string> precision_notes(const std::vector<CaseRecord>& cases);

}  // namespace gpubench
