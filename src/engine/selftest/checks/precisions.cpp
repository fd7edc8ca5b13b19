#include <array>

#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

constexpr const char* kModels[] = {"cnn", "lstm"};
constexpr std::array kPrecisions{Precision::kTf32, Precision::kBf16, Precision::kFp16, Precision::kAmpBf16,
                                 Precision::kAmpFp16};
/// Of losses over a few steps. A wrong update is far outside.
constexpr double kTolerance = 0.05;

CheckRow check(Subject& subject, const std::string& model, Precision precision,
               const std::vector<double>& expected) {
  SmallTraining training{.model = model};
  training.mode.precision = precision;
  const std::string what = model + " " + to_string(precision);
  const CaseRecord record = train(subject, training);
  if (record.status == RowStatus::kUnsupported) return unchecked(what, record.status_reason);
  const double difference = largest_difference(losses_of(record), expected);
  if (difference == 0) return failed(what, "losses are those of fp32 to the last bit: it was not in force");
  return compared(what, difference, kTolerance,
                  fmt::format("losses are {} from those of fp32 at most", percent_text(difference)));
}

CheckRows run(Subject& subject) {
  CheckRows rows;
  for (const std::string model : kModels) {
    if (subject.models.find(model) == nullptr) continue;
    const std::vector<double> expected = losses_of(train(subject, {.model = model}));
    for (const Precision precision : kPrecisions) rows.push_back(check(subject, model, precision, expected));
  }
  return rows;
}

}  // namespace

CheckEntry check_precisions() {
  return {"precisions", "in other precisions models learn what they learn in fp32, with other digits", run};
}

}  // namespace gpubench
