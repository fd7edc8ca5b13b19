// How much is enough, as a page.

#include "pages/plan_page.h"

#include "golden/golden_text.h"
#include "gpubench/report_writer.h"
#include "support/catch.h"
#include "support/sample_runs.h"

namespace gpubench::test {
namespace {

std::string shown(const RunRecord& run, const std::string& format = "txt") {
  return report_formats().require(format, "format").render(plan_page(run, "run.json", 0.02));
}

/// Three processes that differ, of one case.
RunRecord repeated_run(const std::vector<std::string>& arguments) {
  RunRecord run = eventful_run();
  run.cases.resize(3);
  run.tool.arguments = arguments;
  return run;
}

/// The second paragraph: the command line, in which nothing else is.
std::string command_of(const std::vector<std::string>& arguments) {
  return plan_page(repeated_run(arguments), "run.json", 0.02).summary.at(1).text;
}

}  // namespace

TEST_CASE("a plan is shown as agreed") {
  check_golden("eventful_plan.txt", shown(eventful_run()));
  check_golden("eventful_plan.csv", shown(eventful_run(), "csv"));
}

TEST_CASE("the command of a plan is that of the pilot but for how much is measured") {
  const std::string numbers = command_of({}).substr(std::string("gpubench").size());
  CHECK_THAT(numbers, contains_text(" --repeat ") && contains_text(" --epochs "));
  CHECK(command_of({"suite", "quick", "--plan", "--margin", "1%", "--repeat=3", "-o", "a.json", "--epochs",
                    "4"}) == "gpubench suite quick" + numbers);
  CHECK(command_of({"--model", "my net", "--data-dir=it's", "--target-halfwidth", "0.1"}) ==
        R"(gpubench --model 'my net' '--data-dir=it'\''s')" + numbers);
  CHECK(command_of({"merge", "a.json", "b.json"}) == "gpubench ..." + numbers);
}

TEST_CASE("without three processes of a case there is no plan, and the page says so") {
  CHECK_THAT(shown(mixed_run()), contains_text("No plan: no case has run in three processes"));
  CHECK_THAT(shown(hostile_run()), contains_text("No plan: no case has a timed epoch"));
}

TEST_CASE("repetitions in one process do not tell how processes differ, and the page says so") {
  RunRecord run = repeated_run({});
  CHECK_THAT(shown(run), !contains_text("--isolate none"));
  run.plan.isolation = "none";
  CHECK_THAT(shown(run), contains_text("--isolate none"));
}

TEST_CASE("times of a file of any origin make a page") {
  RunRecord run = repeated_run({"\x1b[31m"});
  for (CaseRecord& record : run.cases) record.process = Seconds{1e300};
  CHECK_THAT(shown(run), contains_text("takes about ages") && !contains_text("\x1b"));
  run.cases[1].epoch_seconds.back() = 0;
  CHECK_THAT(shown(run), contains_text("a time is not above 0"));
}

}  // namespace gpubench::test
