// What several ranks gain, and what they lose.

#include <algorithm>
#include <map>

#include "gpubench/core/collect.h"
#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"

namespace gpubench {
namespace {

/// Of a list with a value for each epoch, those after the warm-up.
Reading<std::vector<double>> after_warmup(const CaseRecord& record, const std::vector<double>& values) {
  if (record.ranks < 2) return absent("a single rank exchanges nothing");
  const auto dropped = static_cast<std::size_t>(record.warmup_epochs);
  if (values.size() != record.epoch_seconds.size() || values.size() <= dropped)
    return absent("not measured after the warm-up");
  return std::vector<double>(values.begin() + static_cast<std::ptrdiff_t>(dropped), values.end());
}

}  // namespace

std::int64_t rank_batch(const CaseRecord& record) {
  return (record.batch_size + record.ranks - 1) / record.ranks;
}

Reading<double> communication_share(const CaseRecord& record) {
  return after_warmup(record, record.communication_seconds).then([&](const std::vector<double>& waits) {
    std::vector<double> shares(waits.size());
    std::ranges::transform(waits, std::span(record.epoch_seconds).last(waits.size()), shares.begin(),
                           [](double wait, double epoch) { return epoch > 0 ? wait / epoch : 0; });
    return median_of(shares);
  });
}

Reading<double> median_imbalance(const CaseRecord& record) {
  return after_warmup(record, record.imbalance).then([](const std::vector<double>& values) {
    return median_of(values);
  });
}

}  // namespace gpubench
