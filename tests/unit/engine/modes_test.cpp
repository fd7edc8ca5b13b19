// Modes of a case in options, suites, files and rows.

#include <set>

#include "engine/plan/plan.h"
#include "engine/plan/suite.h"
#include "engine/plan/work.h"
#include "gpubench/record/derived.h"
#include "small_run.h"
#include "support/catch.h"
#include "support/train_grid.h"

namespace gpubench::test::modes_test {
TEST_CASE("a case keeps its modes in JSON, and its row contains them") {
  const SmallRun run;
  Case c = run.cases[0];
  c.asked.mode = {Execution::kEager, Precision::kBf16, Layout::kChannelsLast, Loader::kHost};
  c.asked.is_profiled = true;
  c.asked.trace = "traces";
  const auto back = std::get<Case>(work_from_json(to_json(c), run.models, run.datasets));
  CHECK(back.asked == c.asked);
  CHECK(describe(c, {{96, 8, 8}, true}).mode == c.asked.mode);
  CHECK(make_name(make_identity(describe(c, {}))) ==
        "flat on cpu, grey-set, batch 16, bf16, eager, channels-last, loader host");
}

TEST_CASE("suites use the mode names of the command line, single or as a list") {
  const Suite suite = parse_suite(
      "mine", R"({"groups": [{"precision": ["fp32", "amp-bf16"], "layout": "nchw", "profile": true}]})",
      "mine");
  const std::vector<TrainPoint> points = suite.groups.at(0).points();
  REQUIRE(points.size() == 2);
  CHECK(points[1].mode.precision == Precision::kAmpBf16);
  CHECK(points[1].mode.layout == Layout::kNchw);
  CHECK(points[1].is_profiled);
  CHECK_THROWS_WITH(parse_suite("mine", R"({"groups": [{"precision": "fp23"}]})", "mine"),
                    contains_text("\"precision\" fp23: unknown precision 'fp23'"));
  CHECK_THROWS_WITH(parse_suite("mine", R"({"groups": [{"profile": "/etc"}]})", "mine"),
                    contains_text("\"profile\" must be true or false"));
}

TEST_CASE("traces of different cases have different names") {
  const SmallRun run;
  const auto grid = points({{"model", "flat"},
                            {"precision", "fp32,amp-bf16"},
                            {"execution", "eager,graph"},
                            {"profile", "traces"}});
  std::set<std::string> names;
  for (const Case& c : make_plan(grid, run.models, run.datasets)) {
    CHECK(c.asked.is_profiled);
    CHECK(trace_file(c).starts_with("traces/flat-auto-128"));
    names.insert(trace_file(c));
  }
  CHECK(names.size() == 4);
}

}  // namespace gpubench::test::modes_test
