#pragma once
// Command lines that repeat the work of a row.

#include <string>

namespace gpubench {

struct CaseRecord;
struct OpRecord;

/// Returns "gpubench --model vae --dataset mnist --batch 128" for a shell: the options that affect
/// comparability and differ from their defaults. Omits the device. Replaces the user's own files by synthetic
/// data, which takes the same arithmetic. A row of a subset gives the command of the whole dataset.
std::string make_command(const CaseRecord& row);

/// Returns "gpubench ops --op sum --shape '64x128 axis=0' --protocol s4", or a `gpubench net` for a
/// collective.
std::string make_command(const OpRecord& row);

}  // namespace gpubench
