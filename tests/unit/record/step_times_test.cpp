// Figures derived from the blocks of epochs.

#include "gpubench/record/derived.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test::step_times_test {
namespace {

using Values = std::vector<double>;

/// Returns a case with two blocks per epoch, of 4 and 6 steps. `steps` has the step time of each block.
CaseRecord with_steps(const Values& steps, std::int64_t warmup_epochs = 1) {
  CaseRecord record = finished_case();
  record.warmup_epochs = warmup_epochs;
  record.blocks_per_epoch = std::int64_t{2};
  record.block_steps = {4, 6};
  record.epoch_seconds.clear();
  for (std::size_t i = 0; i + 1 < steps.size(); i += 2) {
    record.block_seconds.push_back(4 * steps[i]);
    record.block_seconds.push_back(6 * steps[i + 1]);
    record.epoch_seconds.push_back(4 * steps[i] + 6 * steps[i + 1]);
  }
  return record;
}

/// Returns epochs of ten blocks of one step. The first block of each epoch takes 50 % longer.
CaseRecord with_blocks(std::size_t epochs, double growth) {
  CaseRecord record = finished_case();
  record.warmup_epochs = 0;
  record.blocks_per_epoch = std::int64_t{10};
  record.block_steps = std::vector<std::int64_t>(10, 1);
  record.epoch_seconds.assign(epochs, 10.0);
  const Values noise{0.01, -0.02, 0.03, -0.01, 0.02, -0.03, 0.005, 0.015, -0.025, -0.005};
  for (std::size_t i = 0; i < 10 * epochs; ++i) {
    const double first = i % 10 == 0 ? 0.5 : 0;
    record.block_seconds.push_back(1 + first + noise[(3 * i + i / 10) % 10] +
                                   growth * static_cast<double>(i) / 10);
  }
  return record;
}

}  // namespace

TEST_CASE("the step time is the block time divided by its steps, after the warm-up") {
  const CaseRecord record = with_steps({9, 9, 1, 2, 3, 4});
  CHECK(steady_step_seconds(record).value() == Values{1, 2, 3, 4});
  CHECK(step_quantile(record, 0.5).value() == 2.5);
  CHECK(step_quantile(record, 1).value() == 4);
  CHECK(step_quantile(record, 0.99).value() == approx(3.97));
}

TEST_CASE("blocks of the last epochs are attributed to the last epochs") {
  CaseRecord record = with_steps({9, 9, 1, 2, 3, 4});
  record.block_seconds.erase(record.block_seconds.begin(), record.block_seconds.begin() + 4);
  CHECK(steady_step_seconds(record).value() == Values{3, 4});
}

TEST_CASE("without blocks the step time is missing with a reason") {
  CaseRecord record = with_steps({1, 2, 3, 4});
  record.block_seconds.pop_back();  // As in an edited file.
  CHECK_FALSE(steady_step_seconds(record).has_value());
  record.blocks_per_epoch = missing("the device gives none");
  CHECK(step_quantile(record, 0.5).reason() == "the device gives none");
  CHECK_FALSE(step_quantile(with_steps({1, 2}), 0.5).has_value());
}

TEST_CASE("from two epochs on, blocks decide steadiness by changes between epochs") {
  CHECK(is_steady(with_blocks(2, 0)).value());
  CHECK(is_steady(with_blocks(4, 0)).value());
  CHECK_FALSE(is_steady(with_blocks(4, 0.1)).value());
  CHECK(epoch_slope(with_blocks(4, 0.1)).value() == approx(0.1 / 1.2).epsilon(0.2));
  CHECK(is_steady(with_blocks(1, 0)).reason() == "fewer than 2 epochs after the warm-up");
}

TEST_CASE("a record keeps the blocks of its last epochs without gaps") {
  CaseRecord record;
  EpochRecord epoch;
  epoch.training = {{"loss", 1}};
  for (std::size_t i = 0; i < kMostStampedEpochs + 5; ++i) {
    epoch.block_seconds = {static_cast<double>(i), 1};
    add_training(record, epoch);
  }
  CHECK(record.block_seconds.size() == 2 * kMostStampedEpochs);
  CHECK(record.block_seconds.front() == 5);
  CHECK(record.block_seconds[record.block_seconds.size() - 2] == kMostStampedEpochs + 4);
  epoch.block_seconds.clear();
  add_training(record, epoch);
  CHECK(record.block_seconds.empty());
}

}  // namespace gpubench::test::step_times_test
