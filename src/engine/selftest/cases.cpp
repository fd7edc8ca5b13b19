#include "engine/selftest/cases.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/rnn.h>

#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

/// Returns the dataset that the records name.
DatasetEntry stand_in_for(const DataSpec& spec) {
  DatasetEntry entry{};
  entry.name = "selftest";
  entry.spec = spec;
  return entry;
}

std::string format_words(const TrainingMode& mode) {
  return fmt::format("{} {} {} {}", to_string(mode.precision), to_string(mode.execution),
                     to_string(mode.layout), to_string(mode.loader));
}

}  // namespace

CaseRecord train(Subject& subject, const SmallTraining& training) {
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
  return subject.run_case(c, subject.means.make_data(model.spec, {training.samples, 0, 0}));
}

std::vector<double> list_losses(const CaseRecord& record) {
  if (record.status == RowStatus::kOk) return record.training.front().second;
  throw Error(ErrorKind::kDevice, "{} {} ended as {}: {}", record.model, format_words(record.mode),
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
                        const TrainingMode& other, const std::string& what) {
  /// Samples come in another order, or kernels add in another order.
  constexpr double kTolerance = 1e-3;
  const std::string name = what.empty() ? model : model + " " + what;
  const CaseRecord record = train(subject, {.model = model, .mode = mode});
  if (record.status == RowStatus::kUnsupported) return unchecked(name, record.status_reason);
  const std::vector<double> expected = list_losses(train(subject, {.model = model, .mode = other}));
  const double difference = largest_difference(list_losses(record), expected);
  return compared(name, difference, kTolerance,
                  fmt::format("losses differ by {} at most", percent_text(difference)));
}

void switch_dropout_off(Model& model) {
  model.eval();
  for (const auto& module : model.modules(/*include_self=*/false)) {
    // cuDNN has no gradient of a recurrent layer outside of training.
    if (module->as<torch::nn::BatchNorm2d>() != nullptr || module->as<torch::nn::LSTM>() != nullptr)
      module->train();
  }
}

}  // namespace gpubench
