#include "gpubench/record/edit.h"

#include "gpubench/core/error.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test::merge_test {
namespace {

std::string complaint(const std::vector<NamedRun>& runs) {
  try {
    merged(runs);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::kData);
    return error.what();
  }
  return {};
}

RunRecord measured_again(RunRecord run) {
  for (CaseRecord& c : run.cases) c.started_at = std::string("2031-02-03T04:05:06.007Z");
  return run;
}

}  // namespace

TEST_CASE("times and suites of a merged run are those of all") {
  RunRecord one = mixed_run();
  RunRecord two = mixed_run();
  one.plan.suite = "s0";
  two.plan.suite = "s1";
  one.tool.started_at = "2026-01-02T00:00:00Z";
  two.tool.started_at = "2026-01-01T00:00:00Z";
  two.tool.finished_at = missing("the run was interrupted");
  const RunRecord whole = merged({{"a.json", one}, {"b.json", two}, {"c.json", one}});
  CHECK(whole.plan.suite == "s0+s1");
  CHECK(whole.tool.started_at == "2026-01-01T00:00:00Z");
  CHECK_FALSE(whole.tool.finished_at.has_value());
}

TEST_CASE("a merged run is of an alternation where all its parts are of one side of it") {
  RunRecord one = mixed_run();
  one.plan.alternation = std::string("2026-01-01T00-00-00Z-1");
  one.plan.side = std::string("A");
  const PlanRecord same = merged({{"a.json", one}, {"b.json", one}}).plan;
  CHECK(same.alternation == one.plan.alternation);
  CHECK(same.side == one.plan.side);

  RunRecord other_side = one;
  other_side.plan.side = std::string("B");
  for (const RunRecord& other : {other_side, mixed_run()}) {
    const PlanRecord both = merged({{"a.json", one}, {"b.json", other}}).plan;
    CHECK(both.alternation.reason() == "the run was merged from several sides");
    CHECK_FALSE(both.side.has_value());
  }
}

TEST_CASE("a merged run is of one GPU where all its parts are") {
  RunRecord one = mixed_run();
  one.environment.devices[0].uuid = std::string("GPU-11");
  one.environment.visible_devices = std::string("CUDA_VISIBLE_DEVICES=1");
  const Environment same = merged({{"a.json", one}, {"b.json", measured_again(one)}}).environment;
  CHECK(same.devices[0].uuid.value() == "GPU-11");
  CHECK(same.visible_devices.value() == "CUDA_VISIBLE_DEVICES=1");

  RunRecord other = measured_again(one);
  other.environment.devices[0].uuid = std::string("GPU-22");
  const Environment both = merged({{"a.json", one}, {"b.json", other}}).environment;
  CHECK(both.devices[0].uuid.reason() == "runs of several GPUs were merged");
  CHECK_FALSE(both.visible_devices.has_value());

  other = measured_again(one);
  other.environment.visible_devices = std::string();
  CHECK_FALSE(merged({{"a.json", one}, {"b.json", other}}).environment.visible_devices.has_value());
}

TEST_CASE("runs of several machines are not merged, and what differs is named") {
  RunRecord other = mixed_run();
  other.environment.host = "beta";
  CHECK_THAT(complaint({{"a.json", mixed_run()}, {"b.json", other}}),
             contains_text("b.json: environment.host is 'beta', but '" + mixed_run().environment.host +
                           "' in a.json"));
  other = mixed_run();
  other.environment.libtorch_version = "1.0";
  CHECK_THAT(complaint({{"a.json", mixed_run()}, {"b.json", other}}), contains_text("libtorch_version"));
  other = mixed_run();
  other.environment.devices[0].model = "another";
  CHECK_THAT(complaint({{"a.json", mixed_run()}, {"b.json", other}}),
             contains_text("the model of device " + other.environment.devices[0].name));
  other = mixed_run();
  other.published = PublishedRecord{};
  CHECK_THAT(complaint({{"a.json", mixed_run()}, {"b.json", other}}), contains_text("published figures"));
}

}  // namespace gpubench::test::merge_test
