#include <clocale>
#include <limits>
#include <locale>
#include <sstream>
#include <string>

#include <nlohmann/json.hpp>

#include "data/golden_text.h"
#include "gpubench/core/text/utf8.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_runs.h"
#include "support/schema.h"

namespace gpubench::test::report_test {
namespace {

/// Sets a global locale with decimal commas and thousands dots during its lifetime.
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

TEST_CASE("a run matches the expected document") {
  RunRecord run = mixed_run();
  run.plan = eventful_run().plan;
  run.cases = {finished_case(), fit_case()};
  check_golden("run.json", run_document(run));
}

TEST_CASE("finished, failed and diverged cases match the expected table") {
  check_golden("mixed.txt", outcome_text(mixed_run()));
}

TEST_CASE("repeats, a fit and every status match the expected table") {
  check_golden("eventful.txt", outcome_text(eventful_run()));
}

TEST_CASE("unknown facts of a machine are null with a reason") {
  const auto document = nlohmann::json::parse(run_document(reticent_run()));
  CHECK(document["tool"]["missing"]["git_commit"] == "built outside a git checkout");
  CHECK(document["environment"]["missing"]["physical_cores"] == "the system does not tell");
  CHECK(document["environment"]["devices"][0]["missing"]["driver"] == "a CPU has no driver");
  CHECK(document["environment"]["physical_cores"].is_null());
  check_golden("reticent.txt", outcome_text(reticent_run()));
}

TEST_CASE("quotes, markup, control characters and invalid UTF-8 do no harm") {
  const std::string text = run_document(hostile_run());
  for (const char c : text) CHECK((c == '\n' || static_cast<unsigned char>(c) >= 0x20));
  const auto document = nlohmann::json::parse(text);
  CHECK_THAT(document["results"][0]["status_message"].get<std::string>(), contains_text("\x1b[2J"));
  check_golden("hostile.txt", outcome_text(hostile_run()));
}

TEST_CASE("a run without cases reports it and has an empty list") {
  CHECK(nlohmann::json::parse(run_document(empty_run())).at("results").empty());
  CHECK(outcome_text(empty_run()) == "No case was measured.\n");
}

TEST_CASE("every document conforms to the schema") {
  for (const RunRecord& run : {empty_run(), mixed_run(), eventful_run(), reticent_run(), hostile_run()}) {
    CHECK(schema_errors(nlohmann::json::parse(run_document(run))) == std::vector<std::string>());
  }
}

TEST_CASE("reports do not depend on the locale") {
  const std::string json = run_document(mixed_run());
  const std::string table = outcome_text(mixed_run());
  const CommaLocale commas;
  CHECK(run_document(mixed_run()) == json);
  CHECK(outcome_text(mixed_run()) == table);
}

TEST_CASE("numbers survive writing and reading exactly") {
  RunRecord run = empty_run();
  run.cases = {finished_case()};
  run.cases[0].epoch_seconds = {0.1 + 0.2, 1.0 / 3.0, 1e-9, 123456.789012345};
  const auto document = nlohmann::json::parse(run_document(run));
  CHECK(document["results"][0]["samples"]["epoch_seconds"].get<std::vector<double>>() ==
        run.cases[0].epoch_seconds);
}

TEST_CASE("an accuracy of NaN is null with a reason") {
  RunRecord run = empty_run();
  run.cases = {finished_case()};
  run.cases[0].test = NamedValues{{"accuracy", std::numeric_limits<double>::quiet_NaN()}};
  const auto document = nlohmann::json::parse(run_document(run));
  CHECK(document["results"][0]["figures"]["accuracy"].is_null());
  CHECK(document["results"][0]["missing"]["accuracy"] == "not a finite number");
}

TEST_CASE("the output after a run fits 80 columns") {
  RunRecord wide = mixed_run();
  for (CaseRecord& c : wide.cases) {
    c.model = "a_model_with_long_name";
    c.energy = fit_case().energy;
    c.mode.precision = Precision::kAmpBf16;
  }
  for (const RunRecord& run : {wide, mixed_run(), eventful_run(), reticent_run()}) {
    std::istringstream lines(outcome_text(run));
    for (std::string line; std::getline(lines, line);) {
      INFO(line);
      CHECK(display_width(line) <= 80);
    }
  }
}

TEST_CASE("the summary states the kind of interval") {
  RunRecord run = empty_run();
  run.cases = {finished_case()};
  CHECK(outcome_text(run).starts_with(
      "mlp, batch 128: 99,010 images/s, 505 ms per epoch ± 14 %\n"
      "± is the 95 % confidence interval within one run (between runs: --repeat 3).\n"));
  run.cases = {finished_case(), finished_case(), finished_case()};
  for (std::size_t i = 0; i < 3; ++i) run.cases[i].repeat = static_cast<std::int64_t>(i + 1);
  CHECK_THAT(outcome_text(run), contains_text("\n± is the 95 % confidence interval between runs.\n"));
  run.cases = {finished_case()};
  run.cases[0].epoch_seconds = {0.8, 0.5};
  CHECK_THAT(outcome_text(run),
             contains_text("per epoch ± unknown\n"
                           "± is the 95 % confidence interval within one run (between runs: --repeat 3).\n"));
  run.cases.push_back(finished_case());
  run.cases[1].device = "cpu";
  CHECK_THAT(outcome_text(run),
             contains_text("\nmlp on cpu, batch 128: 99,010 images/s, 505 ms per epoch ± 14 %\n"));
}

TEST_CASE("repeats show figures of the median time and list different words") {
  RunRecord run = empty_run();
  run.cases = {finished_case(), finished_case()};
  for (std::size_t i = 0; i < 2; ++i) {
    CaseRecord& c = run.cases[i];
    c.repeat = static_cast<std::int64_t>(i + 1);
    c.epoch_seconds.assign(4, i == 0 ? 1 : 3);
    c.peak_flops_per_second = i == 0 ? 1e30 : 1;
    c.operation_latency = Seconds{i == 0 ? 1e9 : 0};
  }
  CHECK(outcome_text(run).starts_with("mlp, batch 128: 25,000 images/s, 2.00 s per epoch "));
  CHECK_THAT(outcome_text(run), contains_text("limited by launch /\ncompute\n"));
}

TEST_CASE("with many cases the summary has the fastest case per model") {
  RunRecord run = empty_run();
  for (const std::int64_t batch : {32, 64, 128}) {
    for (const char* model : {"mlp", "cnn"}) {
      CaseRecord& c = run.cases.emplace_back(finished_case());
      c.model = model;
      c.batch_size = batch;
      for (double& seconds : c.epoch_seconds) seconds /= static_cast<double>(batch);
    }
  }
  const std::string text = outcome_text(run);
  CHECK(text.starts_with("Fastest case of each model:\nmlp, batch 128: "));
  CHECK_THAT(text, contains_text("\ncnn, batch 128: "));
  CHECK_THAT(text, !contains_text("batch 64"));
}

TEST_CASE("a case with some failed repeats is ok with a note") {
  RunRecord run = empty_run();
  run.cases = {finished_case(), finished_case(), finished_case()};
  for (std::size_t i = 0; i < 3; ++i) run.cases[i].repeat = static_cast<std::int64_t>(i + 1);
  run.cases[1].status = RowStatus::kOutOfMemory;
  run.cases[1].status_reason = "the device is full";
  run.cases[1].epoch_seconds = {100, 100};
  CHECK_THAT(outcome_text(run), contains_text(" 505 ms per epoch "));
  CHECK_THAT(outcome_text(run), contains_text("2 of 3 ok [1]"));
  CHECK_THAT(outcome_text(run), contains_text("[1] oom: the device is full; use a smaller --batch\n"));
  CHECK_THAT(outcome_text(run), !contains_text("No valid result"));
}

TEST_CASE("at most four notes follow the table, disturbances first") {
  RunRecord run = mixed_run();
  for (CaseRecord& c : run.cases) c.energy_note = "no power meter can be read (nvml: no driver; rapl: none)";
  run.cases[1].warnings = {make_warning(WarningKind::kOtherProcesses, 0.83)};
  const std::string text = outcome_text(run);
  std::string notes = text.substr(text.find("\n- "));
  notes.resize(notes.find("\n- Not shown: "));
  CHECK(notes.starts_with("\n- Caution: other processes used 83 % of the CPU time (1 of 5 cases); close "));
  CHECK_THAT(notes, contains_text("programs and repeat\n- Synthetic data for cifar10"));
  std::size_t count = 0;
  for (std::size_t at = notes.find("\n- "); at != std::string::npos; at = notes.find("\n- ", at + 1)) ++count;
  CHECK(count == 4);
}

TEST_CASE("notes show warnings of any kind, and other processes only as the cause of a wait for cores") {
  RunRecord run = empty_run();
  run.cases = {finished_case()};
  run.cases[0].warnings = {make_warning(WarningKind::kOtherProcesses, 0.83),
                           make_warning(WarningKind::kBattery),
                           make_warning(WarningKind::kCoreWait, 0.3, "end other processes"),
                           {KindName("flare"), {}, "a solar flare"}};
  CHECK_THAT(outcome_text(run), contains_text("- Caution: on battery; plug in and repeat\n"
                                              "- Caution: threads had no core for 30 % of the time: end "
                                              "other processes\n- Caution: a solar flare\n") &&
                                    !contains_text("83 %"));
}

TEST_CASE("repeats of a case with different likely causes give one note, a disturbance first") {
  RunRecord run = empty_run();
  run.cases = {finished_case(), finished_case()};
  run.cases[1].repeat = 2;
  CHECK_THAT(outcome_text(run), contains_text("likely cause: slow kernels; --profile"));
  run.cases[1].warnings = {make_warning(WarningKind::kOtherProcesses, 0.83)};
  CHECK_THAT(outcome_text(run),
             contains_text("likely cause: other processes; close other") && !contains_text("slow kernels"));
}

TEST_CASE("a profiled run does not recommend a profile") {
  RunRecord run = empty_run();
  run.cases = {finished_case()};
  run.cases[0].profile_phases = NamedValues{{"forward", 0.001}};
  CHECK_THAT(outcome_text(run), contains_text("slow kernels, listed below") && !contains_text("--profile"));
}

TEST_CASE("missing energy is one note, without the reason of each meter") {
  RunRecord run = empty_run();
  run.cases = {finished_case(), finished_case()};
  run.cases[0].energy_note = "the timed epochs last 0.40 s";
  run.cases[1].energy_note = "the timed epochs last 1 s";
  CHECK_THAT(outcome_text(run), contains_text("- Energy not measured: the timed epochs last 0.40 s\n") &&
                                    !contains_text("last 1 s"));
  run.cases.pop_back();
  run.cases[0].energy_note = "no power meter can be read (nvml: no driver; rapl: none)";
  CHECK_THAT(outcome_text(run), contains_text("- Energy not measured: no power meter can be read; see "
                                              "'gpubench doctor --power'\n"));
}

TEST_CASE("a missed target gives a note") {
  RunRecord run = empty_run();
  run.cases = {fit_case(), fit_case()};
  CHECK_THAT(outcome_text(run), !contains_text("Target"));
  run.cases[1].stopped_by = std::string("max-epochs");
  CHECK_THAT(outcome_text(run), contains_text("Target of ± 2 % missed in 1 of 2 cases; raise --epochs\n"));
}

}  // namespace gpubench::test::report_test
