#include "pages/precision_notes.h"

#include <fmt/format.h>

#include "gpubench/core/nearest.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

bool differs_in_precision(const CaseRecord& c, const CaseRecord& from) {
  const RowIdentity wanted = identity_of(from);
  return c.mode.precision != from.mode.precision && c.repeat == from.repeat &&
         identity_of(c).with("precision", wanted.at("precision")) == wanted;
}

/// "bf16 1.92" for each of the cases that differ from `base` in precision alone.
std::vector<std::string> gains(const CaseRecord& base, double base_seconds,
                               const std::vector<CaseRecord>& cases) {
  std::vector<std::string> words;
  for (const CaseRecord& c : cases) {
    const auto epochs = epoch_summary(c);
    if (!epochs.has_value() || epochs.value().median <= 0 || !differs_in_precision(c, base)) continue;
    words.push_back(
        fmt::format("{} {:.2f}", to_string(c.mode.precision), base_seconds / epochs.value().median));
  }
  return words;
}

}  // namespace

std::vector<std::string> precision_notes(const std::vector<CaseRecord>& cases) {
  std::vector<std::string> notes;
  for (const CaseRecord& c : cases) {
    const auto epochs = epoch_summary(c);
    if (c.mode.precision != Precision::kFp32 || !epochs.has_value()) continue;
    const auto words = gains(c, epochs.value().median, cases);
    if (words.empty()) continue;
    const std::string sizes = c.sizes.empty() ? "" : " (" + c.sizes + ")";
    notes.push_back(fmt::format("precision gain of {}{} on {}, batch {}: {} (time in fp32 over its time)",
                                c.model, sizes, c.device, c.batch_size, join(words)));
  }
  return notes;
}

}  // namespace gpubench
