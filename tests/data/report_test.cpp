#include <clocale>
#include <locale>
#include <string>

#include <nlohmann/json.hpp>

#include "data/golden_text.h"
#include "gpubench/record/row_identity.h"
#include "pages/run_page.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test::report_test {
namespace {

/// Decimal commas and dots between thousands, everywhere, for as long as it lives.
class CommaLocale {
 public:
  CommaLocale() : before_(std::locale::global(std::locale(std::locale(), new Punctuation))) {
    std::setlocale(LC_NUMERIC, "de_DE.UTF-8");
  }
  ~CommaLocale() {
    std::locale::global(before_);
    std::setlocale(LC_NUMERIC, "C");
  }
  CommaLocale(const CommaLocale&) = delete;
  CommaLocale& operator=(const CommaLocale&) = delete;

 private:
  struct Punctuation : std::numpunct<char> {
    char do_decimal_point() const override { return ','; }
    char do_thousands_sep() const override { return '.'; }
    std::string do_grouping() const override { return "\3"; }
  };

  std::locale before_;
};

}  // namespace

TEST_CASE("a document of a run is written as agreed") {
  RunRecord run = mixed_run();
  run.plan = eventful_run().plan;
  run.cases = {finished_case(), fit_case()};
  check_golden("run.json", run_document(run));
}

TEST_CASE("a run with finished, failed and diverged cases is a table as agreed") {
  check_golden("mixed.txt", run_table(mixed_run()));
}

TEST_CASE("a suite with repeats, a whole fit and every other status is a table as agreed") {
  check_golden("eventful.txt", run_table(eventful_run()));
}

TEST_CASE("what a machine does not tell is null with a reason in the file and a dash in the table") {
  const auto document = nlohmann::json::parse(run_document(reticent_run()));
  CHECK(document["tool"]["missing"]["git_commit"] == "built outside a git checkout");
  CHECK(document["environment"]["missing"]["physical_cores"] == "the system does not tell");
  CHECK(document["environment"]["devices"][0]["missing"]["driver"] == "a CPU has no driver");
  CHECK(document["environment"]["physical_cores"].is_null());
  check_golden("reticent.txt", run_table(reticent_run()));
}

TEST_CASE("quotes, markup, control characters and bytes that are not UTF-8 do no harm") {
  const std::string text = run_document(hostile_run());
  for (const char c : text) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  const auto document = nlohmann::json::parse(text);
  CHECK_THAT(document["results"][0]["status_message"].get<std::string>(), contains_text("\x1b[2J"));
  check_golden("hostile.txt", run_table(hostile_run()));
}

TEST_CASE("a run without a case says so, and is a document with an empty list") {
  CHECK(nlohmann::json::parse(run_document(empty_run())).at("results").empty());
  CHECK(run_table(empty_run()) == "no case was measured\n");
}

TEST_CASE("every document is valid by the schema") {
  for (const RunRecord& run : {empty_run(), mixed_run(), eventful_run(), reticent_run(), hostile_run()}) {
    CHECK(schema_errors(nlohmann::json::parse(run_document(run))) == std::vector<std::string>());
  }
}

TEST_CASE("reports do not depend on the locale") {
  const std::string json = run_document(mixed_run());
  const std::string table = run_table(mixed_run());
  const CommaLocale commas;
  CHECK(run_document(mixed_run()) == json);
  CHECK(run_table(mixed_run()) == table);
}

TEST_CASE("numbers in the file read back as they were measured") {
  RunRecord run = empty_run();
  run.cases = {finished_case()};
  run.cases[0].epoch_seconds = {0.1 + 0.2, 1.0 / 3.0, 1e-9, 123456.789012345};
  const auto document = nlohmann::json::parse(run_document(run));
  CHECK(document["results"][0]["samples"]["epoch_seconds"].get<std::vector<double>>() ==
        run.cases[0].epoch_seconds);
}

TEST_CASE("an accuracy that is not a number is null and says so") {
  RunRecord run = empty_run();
  run.cases = {finished_case()};
  run.cases[0].test = NamedValues{{"accuracy", std::numeric_limits<double>::quiet_NaN()}};
  const auto document = nlohmann::json::parse(run_document(run));
  CHECK(document["results"][0]["figures"]["accuracy"].is_null());
  CHECK(document["results"][0]["missing"]["accuracy"] == "not a finite number");
  CHECK_THAT(run_table(run), contains_text("no accuracy: not a finite number\n"));
}

TEST_CASE("repetitions of a case are one row that tells how many there were and how they ended") {
  RunRecord run = empty_run();
  run.cases = {finished_case(), finished_case(), finished_case()};
  for (std::size_t i = 0; i < 3; ++i) run.cases[i].repeat = static_cast<std::int64_t>(i + 1);
  const std::string table = run_table(run);
  CHECK_THAT(table, contains_text("  processes  status  "));
  CHECK_THAT(table, contains_text("          3  ok"));
  CHECK_THAT(table, contains_text("± if run again: half the 95 % interval by the medians of processes\n"));

  run.cases[1].status = RowStatus::kOutOfMemory;
  run.cases[1].status_reason = "the device is full";
  CHECK_THAT(run_table(run), contains_text("2 of 3 ok, 1 oom"));
  CHECK_THAT(run_table(run), contains_text("batch 128, repeat 2: oom: the device is full\n"));
  CHECK_THAT(run_table(mixed_run()), !contains_text("processes  "));
}

TEST_CASE("a table says once why it is not known how runs differ") {
  RunRecord run = empty_run();
  run.cases = {finished_case(), fit_case()};
  CHECK_THAT(run_table(run), contains_text("no ± if run again: only one run; use --repeat 5\n"));
}

TEST_CASE("energy that is not there is one line below the table, without what is wrong with each meter") {
  RunRecord run = mixed_run();
  for (CaseRecord& c : run.cases) c.energy_note = "no power meter can be read (nvml: no driver; rapl: none)";
  const std::string line =
      "Energy: not measured for cuda:0: no power meter can be read; 'gpubench doctor --power' says why.\n";
  const std::string table = run_table(run);
  CHECK_THAT(table, contains_text(line));
  CHECK(table.find("nergy") == table.rfind("nergy"));
}

TEST_CASE("notes of modes that differ in figures alone are one") {
  RunRecord run = empty_run();
  run.cases = {fit_case(), fit_case(), fit_case()};
  for (std::size_t i = 0; i < 3; ++i) run.cases[i].batch_size = 128 << i;
  run.cases[1].layout_note = "0.9 ms per step in a trial; 3 ms as nchw";
  const std::string table = run_table(run);
  CHECK_THAT(table, contains_text("layout of mlp on cuda:0: channels-last: 1.5 ms per step in a trial; "
                                  "2.25 ms as nchw (and 1 more alike)\n"));
  CHECK_THAT(table, !contains_text("0.9 ms"));
}

TEST_CASE("a warning of several processes is said once, with their number") {
  const std::string table = run_table(eventful_run());
  CHECK_THAT(table, contains_text("warning: other programs used 1.5 cores (the worst of 2 processes)\n"));
  CHECK_THAT(table, contains_text("warning: the device was slowed down by heat (1 process)\n"));
}

TEST_CASE("memory that ran out is told in units for people") {
  CHECK_THAT(run_table(eventful_run()), contains_text("the device is full (2 GiB asked for, 1.5 GiB free)"));
}

TEST_CASE("a profiled case has a line: phases of the step, and kinds of layers by their size") {
  CHECK_THAT(
      run_table(eventful_run()),
      contains_text(
          "mlp on cuda:0, cifar10, batch 128, fit, repeat 1: a step of 2.50 ms: input 5 %, forward 20 %, "
          "backward 50 %, optimizer 12 %, other 13 %; operations: matrix product 56 %, "
          "convolution 28 %, optimizer 14 %, rest 3 %\n"));
  CHECK_THAT(run_table(mixed_run()), !contains_text("a step of"));
}

TEST_CASE("the duration of a step is told in the unit that fits") {
  RunRecord run = empty_run();
  run.cases = {fit_case()};
  const auto to_text = [&](double seconds) {
    run.cases[0].profile_phases = NamedValues{{"forward", seconds}};
    return run_table(run);
  };
  CHECK_THAT(to_text(0.00008125), contains_text("a step of 81.2 µs: forward 100 %"));
  CHECK_THAT(to_text(0.0009996), contains_text("a step of 1.00 ms"));
  CHECK_THAT(to_text(0.25), contains_text("a step of 250 ms"));
  CHECK_THAT(to_text(12.5), contains_text("a step of 12.5 s"));
  CHECK_THAT(to_text(0), !contains_text("a step of"));
}

TEST_CASE("why a mode became what it is is said once for all batch sizes, and again where it differs") {
  RunRecord run = empty_run();
  run.cases = {fit_case(), fit_case(), fit_case()};
  run.cases[1].batch_size = 256;
  run.cases[2].batch_size = 512;
  run.cases[2].layout_used = std::string("nchw");
  run.cases[2].layout_note = "per step\nlong";
  const std::string table = run_table(run);
  const std::string layout =
      "layout of mlp on cuda:0: channels-last: 1.5 ms per step in a trial; 2.25 ms as nchw\n";
  CHECK_THAT(table, contains_text(layout));
  CHECK(table.find(layout) == table.rfind(layout));
  CHECK_THAT(table, contains_text("layout of mlp on cuda:0: nchw: per step\n"));
  CHECK_THAT(table, contains_text("execution of mlp on cuda:0: eager: graphs need an NVIDIA GPU\n"));
}

TEST_CASE("a note names the modes of its case where they are not the usual ones") {
  RunRecord run = empty_run();
  run.cases = {fit_case()};
  run.cases[0].mode.precision = Precision::kAmpBf16;
  CHECK_THAT(run_table(run), contains_text("mlp on cuda:0, cifar10, batch 128, amp-bf16, fit: a step of"));
}

TEST_CASE("a phase of the timeline is one line of the file") {
  CHECK_THAT(
      run_document(eventful_run()),
      contains_text("{\"name\": \"transfer\", \"start_seconds\": 0.125, \"duration_seconds\": 0.0625},\n"));
}

TEST_CASE("no control character of a message reaches the terminal") {
  for (const char c : run_table(hostile_run())) {
    CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  }
}

TEST_CASE("it is said how many processes reached the target") {
  RunRecord run = empty_run();
  run.cases = {fit_case(), fit_case()};
  CHECK_THAT(run_table(run), contains_text("target of ± 2 % in process: reached by 2 of 2 processes\n"));
  run.cases[1].stopped_by = std::string("max-epochs");
  CHECK_THAT(run_table(run), contains_text("target of ± 2 % in process: reached by 1 of 2 processes\n"));
}

TEST_CASE("many cases that ended alike are one line with their number") {
  RunRecord run = empty_run();
  for (const std::int64_t batch : {32, 64, 128, 256, 512}) {
    CaseRecord& row =
        run.cases.emplace_back(unfinished_case(RowStatus::kSkipped, "no time left of the 20 s budget"));
    row.batch_size = batch;
  }
  const std::string table = run_table(run);
  CHECK_THAT(table, contains_text("batch 32 and 4 more cases: skipped: no time left of the 20 s budget\n"));
  CHECK(table.find("batch 64") == std::string::npos);
}

}  // namespace gpubench::test::report_test
