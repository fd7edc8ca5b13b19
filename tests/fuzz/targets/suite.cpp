// Suites, and the plans that they make.

#include "engine/plan/suite.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"
#include "gpubench/model_catalog.h"

namespace gpubench::fuzz {
namespace {

constexpr double kMostCases = 10'000;

const Catalog<ModelEntry>& known_models() {
  static const Catalog<ModelEntry> models(
      "model",
      {{"cnn", "", "cnn", {Task::kClassification, {1, 28, 28}, 10}, "image", nullptr},
       {"cnn0", "", "cnn", {Task::kClassification, {3, 32, 32}, 10}, "image", nullptr},
       {"lm", "", "lm", {Task::kLanguage, {35}, 33'278}, "token", nullptr, {{"layers", "", 2, 1, 96}}}});
  return models;
}

double make_cases(const PlanOptions& options) {
  double count = static_cast<double>(options.repeat);
  for (const std::size_t choices :
       {options.models.size(), options.batch_sizes.size(), options.precisions.size(),
        options.executions.size(), options.layouts.size(), options.loaders.size()}) {
    count *= static_cast<double>(choices);
  }
  return count;
}

void read(std::string_view input) {
  accepts({ErrorKind::kUsage}, [&] {
    const Suite suite = parse_suite("input", std::string(input), "input.json");
    require(!suite.groups.empty(), "a suite has groups");
    for (const PlanOptions& group : suite.groups) {
      if (make_cases(group) > kMostCases) continue;
      accepts({ErrorKind::kUsage}, [&] {
        const std::vector<Case> cases = make_plan(group, {"cpu"}, known_models(), datasets());
        require(static_cast<double>(cases.size()) == make_cases(group), "every combination is a case");
      });
    }
  });
}

}  // namespace

Target entry_suite() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
