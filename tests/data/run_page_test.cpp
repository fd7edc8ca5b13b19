// The page of one result file.

#include <cmath>

#include "data/golden_text.h"
#include "gpubench/report_writer.h"
#include "pages/run_page.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/sample_runs.h"

namespace gpubench::test::run_page_test {
namespace {

std::string shown(const RunRecord& run, const std::string& format = "txt") {
  const ReportFormat& writer = report_formats().require(format, "format");
  Page page = run_page(run, "run.json");
  page.shows_details = true;
  if (writer.reads_data) page.data = run_data(run, "run.json");
  return writer.render(page);
}

RunRecord reference() {
  return read_run_file(source_dir() + "/results/reference/m1-ultra-rtx-2070-super.json");
}

}  // namespace

TEST_CASE("runs match the expected pages") {
  check_golden("mixed_page.txt", shown(mixed_run()));
  CHECK_THAT(shown(mixed_run(), "md"), contains_text("\n> No valid result for 2 of 5 cases"));
  CHECK_THAT(shown(mixed_run(), "html"), contains_text("<details>\n<summary><h2 id=\"s"));
  const std::string brief =
      report_formats().require("txt", "format").render(run_page(mixed_run(), "run.json"));
  CHECK_THAT(brief, contains_text("Cases\n-----"));
  CHECK_THAT(brief, !contains_text("Environment\n"));
}

TEST_CASE("the details of a run have processes, power, method and machine") {
  check_parts(
      flattened(shown(eventful_run())),
      {" Device cuda:0 (GPU 6000), host workstation, suite smoke, started 2024-02-03T04:05:06Z. ",
       " Epoch and step times ", " 4 of 5 465 ms 489 ms 504 ms 3.4 % ", " nvml: the counter steps by 0.5 J ",
       " Layout of mlp on cuda:0: channels-last: 1.5 ms per step in a trial; 2.25 ms as nchw ",
       " step of 2.50 ms: input 5 %, forward 20 %, ", " Environment "});
}

TEST_CASE("a page of published figures starts with its warning") {
  CHECK(run_page(reference(), "r").summary.front().tone == Tone::kWarning);
  check_parts(
      flattened(shown(reference())),
      {"Published figures, not measured by gpubench",
       " siamese on M1 Ultra GPU, batch 1024: 15.5 s per epoch ", " [1] published as: runtime error ",
       " siamese RTX 2070 Super mnist 64 ok 39.8 ", " Energy: published power times published epoch time "});
}

TEST_CASE("the columns of the data do not depend on the run") {
  const auto head = [](const RunRecord& run) {
    const std::string text = shown(run, "csv");
    return text.substr(0, text.find('\n'));
  };
  CHECK(head(mixed_run()) == head(empty_run()));
  CHECK(head(mixed_run()) == head(eventful_run()));
  CHECK_THAT(head(mixed_run()), contains_text("file,model,"));
}

TEST_CASE("data rows contain no formula, and TSV no control characters") {
  RunRecord run = mixed_run();
  run.cases.front().model = "=1+1\x1b[2J\tx";
  CHECK_THAT(shown(run, "csv"), contains_text(",'=1+1?[2J x,"));
  CHECK_THAT(shown(run, "tsv"), contains_text("\t'=1+1?[2J x\t"));
}

TEST_CASE("impossible numbers are shown as missing") {
  RunRecord run = mixed_run();
  run.cases.front().batch_size = -5;
  run.cases.front().train_samples = -1;
  for (double& seconds : run.cases[1].epoch_seconds) seconds = 0;
  run.cases[2].epoch_seconds = {1, INFINITY, NAN, INFINITY, 1};
  for (const char* format : {"txt", "csv"}) {
    CHECK_THAT(shown(run, format), !contains_text("inf") && !contains_text("nan"));
  }
}

}  // namespace gpubench::test::run_page_test
