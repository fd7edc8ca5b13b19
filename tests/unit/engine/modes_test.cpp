// The modes of a case on their way from options, suites and files to the row.

#include <set>

#include "engine/execution/wire.h"
#include "engine/plan/plan.h"
#include "engine/plan/suite.h"
#include "gpubench/record/derived.h"
#include "small_run.h"
#include "support/catch.h"

namespace gpubench::test::modes_test {
namespace {

std::vector<Case> plan(const SmallRun& run, const PlanOptions& options) {
  return make_plan(options, {"cpu"}, run.models, run.datasets);
}

PlanOptions two_by_two() {
  PlanOptions options;
  options.models = {"flat"};
  options.precisions = {Precision::kFp32, Precision::kAmpBf16};
  options.executions = {Execution::kEager, Execution::kGraph};
  options.repeat = 2;
  return options;
}

}  // namespace

TEST_CASE("a case keeps its modes through JSON, and a row tells them") {
  const SmallRun run;
  Case c = run.cases[0];
  c.mode = {Execution::kEager, Precision::kBf16, Layout::kChannelsLast, Loader::kHost};
  c.profile_steps = 10;
  c.trace = "traces/a.json";
  const Case back = plan_case_from_json(to_json(c), run.models, run.datasets);
  CHECK(back.mode == c.mode);
  CHECK(back.profile_steps == 10);
  CHECK(back.trace == "traces/a.json");
  CHECK(describe(c, {{96, 8, 8}, true}).mode == c.mode);
  CHECK(make_name(make_identity(c)) ==
        "flat on cpu, grey-set, batch 16, bf16, eager, channels-last, loader host");
}

TEST_CASE("suites name modes as the command line does, one or a list") {
  const Suite suite = parse_suite(
      "mine", R"({"groups": [{"precision": ["fp32", "amp-bf16"], "layout": "nchw", "profile": true}]})",
      "mine");
  const PlanOptions& group = suite.groups.at(0);
  CHECK(group.precisions == std::vector<Precision>{Precision::kFp32, Precision::kAmpBf16});
  CHECK(group.layouts == std::vector<Layout>{Layout::kNchw});
  CHECK(group.is_profiled);
  CHECK_THROWS_WITH(parse_suite("mine", R"({"groups": [{"precision": "fp23"}]})", "mine"),
                    contains_text("\"precision\": unknown precision 'fp23'"));
  CHECK_THROWS_WITH(parse_suite("mine", R"({"groups": [{"profile": "yes"}]})", "mine"),
                    contains_text("must be true or false"));
}

TEST_CASE("traces of different cases have different names") {
  const SmallRun run;
  PlanOptions options = two_by_two();
  options.repeat = 1;
  options.trace = "traces";
  std::set<std::string> names;
  for (const Case& c : plan(run, options)) {
    CHECK(c.profile_steps > 0);
    CHECK(c.trace.starts_with("traces/flat-cpu-128"));
    names.insert(c.trace);
  }
  CHECK(names.size() == 4);
}

}  // namespace gpubench::test::modes_test
