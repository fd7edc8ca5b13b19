#pragma once
// Rows of comparisons with given epoch times.

#include <cstdint>
#include <utility>
#include <vector>

#include "compare/rows.h"

namespace gpubench::test {

/// Returns the epoch times of processes, one per round from 1 on unless `rounds` are given.
inline MetricSamples time_samples(const std::vector<double>& seconds, std::vector<std::int64_t> rounds = {}) {
  MetricSamples samples{&find_metric("median_epoch_seconds", ""), std::move(rounds), seconds};
  while (samples.rounds.size() < seconds.size()) samples.rounds.push_back(std::ssize(samples.rounds) + 1);
  set_estimate(samples, "no process");
  return samples;
}

/// Returns a row with one process per value.
inline ComparedRow timed_row(const std::vector<double>& seconds) {
  ComparedRow row{RowIdentity{{}}};
  row.metrics = {time_samples(seconds)};
  return row;
}

}  // namespace gpubench::test
