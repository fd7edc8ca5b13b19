#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

/// So little that the search is short on any device; a batch of all samples takes several times as much.
constexpr Bytes kMemory{256 << 20};
constexpr std::int64_t kSamples = 1 << 16;
/// Of the largest batch: a training evaluates too, in memory that steps have left in pieces.
constexpr double kShare = 0.9;

CheckRows run(Subject& subject) {
  SmallTraining training{.model = "mlp", .samples = kSamples, .batch_size = 1024, .epochs = 2};
  // What the libraries take once, and the samples, are not what the search is about.
  losses_of(train(subject, training));
  if (!subject.device.limit_memory(kMemory))
    return {unchecked(
        "", "within a process the memory of this kind of device cannot be limited and used up again")};
  const auto [found, record] = train_largest_batch(subject, training, kShare);
  const std::string what = fmt::format("{} samples of mlp fit into {}", found.batch_size, byte_text(kMemory));
  if (found.failed_size == 0)
    return {failed("search", what + ": all that there are, so nothing was refused")};
  const bool is_oom = found.failure.starts_with(to_string(RowStatus::kOutOfMemory));
  if (!is_oom || found.batch_size == 0)
    return {failed("search", fmt::format("a batch of {} ended as {}", found.failed_size, found.failure))};
  return {passed("search", what), decided("training", record.status == RowStatus::kOk,
                                          fmt::format("one of batches of {} ends as {} {}", record.batch_size,
                                                      to_string(record.status), record.status_reason))};
}

}  // namespace

CheckEntry check_largest_batch() {
  return {"largest-batch", "the largest batch that a search finds can be trained with", run};
}

}  // namespace gpubench
