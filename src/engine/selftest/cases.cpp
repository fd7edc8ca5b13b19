#include "engine/selftest/cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

/// Where the samples are said to come from.
DatasetEntry stand_in_for(const DataSpec& spec) {
  DatasetEntry entry{};
  entry.name = "selftest";
  entry.spec = spec;
  return entry;
}

std::string words_of(const TrainingMode& mode) {
  return fmt::format("{} {} {} {}", to_string(mode.precision), to_string(mode.execution),
                     to_string(mode.layout), to_string(mode.loader));
}

/// What `use` makes of the training's case and its data.
template <class Use>
auto with_case(Subject& subject, const SmallTraining& training, Use use) {
  const ModelEntry& model = subject.models.require(training.model, "selftest");
  const DatasetEntry dataset = stand_in_for(model.spec);
  Case c;
  c.model = &model;
  c.sizes = all_sizes(model, {});
  c.dataset = &dataset;
  c.source = DataSource::kSynthetic;
  c.device = subject.device.name();
  c.batch_size = training.batch_size;
  c.mode = training.mode;
  c.stopping = {1, training.epochs, training.epochs, std::nullopt};
  c.seed = training.seed;
  return use(c, subject.means.make_data(model.spec, {training.samples, 0, 0}));
}

/// In this process, as everything that a check does.
class Pilots : public CaseExecutor {
 public:
  Pilots(Subject& subject, const Dataset& dataset) : subject_(subject), dataset_(dataset) {}
  CaseRecord run(const Case& c, RowControl&) override {
    return subject_.run_case(c, dataset_, subject_.device);
  }
  PilotResult run_pilot(const Case& c, Seconds, RowControl&) override {
    // What trials of other sizes have left would be in the way.
    subject_.device.free_spare_memory();
    const Pilot pilot = subject_.run_pilot(c, dataset_, subject_.device);
    return {pilot, pilot.duration, absent("the pilot had no process of its own")};
  }

 private:
  Subject& subject_;
  const Dataset& dataset_;
};

}  // namespace

CaseRecord train(Subject& subject, const SmallTraining& training) {
  return train(subject, training, subject.device);
}

CaseRecord train(Subject& subject, const SmallTraining& training, Device& device) {
  return with_case(subject, training, [&](const Case& c, const Dataset& dataset) {
    return subject.run_case(c, dataset, device);
  });
}

LargestBatch train_largest_batch(Subject& subject, const SmallTraining& training, double share) {
  return with_case(subject, training, [&](Case c, const Dataset& dataset) {
    Pilots pilots(subject, dataset);
    RowControl nobody;
    const auto found =
        find_max_batch(c, training.samples, pilots, nobody, [](std::int64_t, const PilotResult&) {});
    c.batch_size = static_cast<std::int64_t>(share * static_cast<double>(found.batch_size));
    if (c.batch_size == 0) return LargestBatch{found, {}};
    subject.device.free_spare_memory();
    return LargestBatch{found, subject.run_case(c, dataset, subject.device)};
  });
}

std::vector<double> losses_of(const CaseRecord& record) {
  if (record.status == RowStatus::kOk) return record.training.front().second;
  throw Error(ErrorKind::kDevice, "{} {} ended as {}: {}", record.model, words_of(record.mode),
              to_string(record.status), record.status_reason);
}

double largest_difference(const std::vector<double>& found, const std::vector<double>& expected) {
  if (found.size() != expected.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double difference = relative_difference(found[i], expected[i]);
    if (!std::isfinite(difference)) return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return largest;
}

CheckRow compared_modes(Subject& subject, const std::string& model, const TrainingMode& mode,
                        const TrainingMode& other, double tolerance) {
  if (subject.models.find(model) == nullptr) return unchecked(model, "this build has no such model");
  const CaseRecord record = train(subject, {.model = model, .mode = mode});
  if (record.status == RowStatus::kUnsupported) return unchecked(model, record.status_reason);
  const std::vector<double> expected = losses_of(train(subject, {.model = model, .mode = other}));
  const double difference = largest_difference(losses_of(record), expected);
  return compared(model, difference, tolerance,
                  fmt::format("losses differ by {} at most", percent_text(difference)));
}

}  // namespace gpubench
