#include <array>

#include <fmt/format.h>

#include "engine/selftest/cases.h"
#include "engine/selftest/checks/entries.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

/// How many steps of a model are compared, and how far losses may be apart. A wrong update is far outside.
struct Compared {
  const char* model;
  std::int64_t epochs;
  double tolerance;
  bool with_fp16 = true;
};
/// In a deep network batch normalisation of few samples magnifies rounding in every further step, and the
/// first steps in fp16 are left out, until the scale of the loss is found.
constexpr Compared kCompared[] = {{"cnn", 5, 0.05},
                                  {"lstm", 5, 0.05},
                                  {"mlp", 5, 0.1},
                                  {"cnn3", 5, 0.05, false},
                                  {"resnet50", 2, 0.2, false}};

constexpr std::array kPrecisions{Precision::kTf32, Precision::kBf16, Precision::kFp16, Precision::kAmpBf16,
                                 Precision::kAmpFp16};

CheckRow check(Subject& subject, const Compared& c, Precision precision,
               const std::vector<double>& expected) {
  SmallTraining training{.model = c.model, .epochs = c.epochs};
  training.mode.precision = precision;
  const std::string what = c.model + (" " + to_string(precision));
  const CaseRecord record = train(subject, training);
  if (record.status == RowStatus::kUnsupported) return unchecked(what, record.status_reason);
  const double difference = largest_difference(losses_of(record), expected);
  if (difference == 0) return failed(what, "losses are those of fp32 to the last bit: it was not in force");
  return compared(what, difference, c.tolerance,
                  fmt::format("losses are {} from those of fp32 at most", percent_text(difference)));
}

CheckRows run(Subject& subject) {
  CheckRows rows;
  for (const Compared& c : kCompared) {
    if (subject.models.find(c.model) == nullptr) continue;
    const std::vector<double> expected = losses_of(train(subject, {.model = c.model, .epochs = c.epochs}));
    for (const Precision precision : kPrecisions) {
      const bool is_fp16 = precision == Precision::kFp16 || precision == Precision::kAmpFp16;
      if (c.with_fp16 || !is_fp16) rows.push_back(check(subject, c, precision, expected));
    }
  }
  return rows;
}

}  // namespace

CheckEntry check_precisions() {
  return {"precisions", "in other precisions models learn what they learn in fp32, with other digits", run};
}

}  // namespace gpubench
