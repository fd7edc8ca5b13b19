// Suites and their plans.

#include "engine/plan/suite.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"
#include "gpubench/model_catalog.h"

namespace gpubench::fuzz {
namespace {

constexpr std::size_t kMostCases = 10'000;

const Catalog<ModelEntry>& known_models() {
  static const Catalog<ModelEntry> models(
      "model",
      {{"cnn", "", "cnn", {Task::kClassification, {1, 28, 28}, 10}, "image", nullptr},
       {"cnn0", "", "cnn", {Task::kClassification, {3, 32, 32}, 10}, "image", nullptr},
       {"lm", "", "lm", {Task::kLanguage, {35}, 33'278}, "token", nullptr, {{"layers", "", 2, 1, 96}}}});
  return models;
}

void read(std::string_view input) {
  accepts({ErrorKind::kUsage}, [&] {
    const Suite suite = parse_suite("input", std::string(input), "input.json");
    require(!suite.groups.empty(), "a suite has groups");
    for (const TrainGrid& group : suite.groups) {
      accepts({ErrorKind::kUsage}, [&] {
        const std::vector<TrainPoint> points = group.points();
        if (points.size() > kMostCases) return;
        require(make_plan(points, known_models(), datasets()).size() == points.size(),
                "each point is a case");
      });
    }
  });
}

}  // namespace

Target entry_suite() { return {Shape::kJson, read}; }

}  // namespace gpubench::fuzz
