// Energy on pages.

#include <cmath>
#include <limits>

#include "compare/published.h"
#include "compare/rows.h"
#include "data/golden_text.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/run_page.h"
#include "support/catch.h"
#include "support/compared_runs.h"
#include "support/sample_energy.h"

namespace gpubench::test::energy_test {
namespace {

Comparison compared(const RunRecord& a, const RunRecord& b, std::optional<double> price = {}) {
  std::vector<Candidate> candidates = make_candidates(a, "a.json");
  for (Candidate& candidate : make_candidates(b, "b.json")) candidates.push_back(std::move(candidate));
  Comparison comparison = compare(std::move(candidates), false);
  comparison.price_kwh = price;
  return comparison;
}

std::string rendered(Page page, const std::string& format = "txt") {
  page.shows_details = true;
  return report_formats().require(format, "format").render(page);
}

std::string to_text(const Comparison& comparison) { return rendered(comparison_page(comparison)); }

/// Returns a run of mlp at two batch sizes and of cnn on a card that draws `watts`.
RunRecord card(const std::string& host, double factor, double watts,
               PowerScope scope = PowerScope::kGpuBoard) {
  RunRecord run = run_on(host, "cuda:0",
                         {timed_case("mlp", 32, 4 * factor, 1), timed_case("mlp", 128, 2 * factor, 1),
                          timed_case("cnn", 128, 20 * factor, 2)});
  for (CaseRecord& record : run.cases) {
    record = with_energy(record, watts, scope);
    record.energy.front().device = "";
  }
  return run;
}

RunRecord without_energy(RunRecord run) {
  for (CaseRecord& record : run.cases) {
    record.energy.clear();
    record.energy_note = "no power meter can be read (nvml: no NVIDIA driver)";
  }
  return run;
}

RunRecord soaked_run() {
  RunRecord run = card("desk", 1, 300);
  run.cases = {with_energy(run.cases[0], 300, PowerScope::kGpuBoard), soaked_case()};
  return run;
}

}  // namespace

TEST_CASE("energies of equal scope are compared with ratios, intervals and costs") {
  const Comparison comparison = compared(card("old", 1, 250), card("new", 0.5, 300), 0.3);
  check_golden("compare_energy.txt", to_text(comparison));
  Page page;
  page.data = comparison_data(comparison);
  check_golden("compare_energy.csv", rendered(page, "csv"));
}

TEST_CASE("energies of different scopes are refused while times are compared") {
  check_parts(flattened(to_text(compared(card("old", 1, 250), card("new", 0.5, 80, PowerScope::kSystem)))),
              {"was measured 2.00 times as fast as old",
               "have no comparable case: refused: energy scope: old gpu-board, new system.",
               "Not compared: different energy scope: old gpu-board, new system (3 cases).",
               " 780 gpu-board ", "energy scope gpu-board system 3 cases - - - - refused"});
}

TEST_CASE("missing energy of a run has a reason, and the other run's is shown") {
  const std::string text = to_text(compared(without_energy(card("old", 1, 250)), card("new", 0.5, 300)));
  check_parts(
      flattened(text),
      {"Energy: not measured for old (3 of 3 cases): no power meter can be read (nvml: no NVIDIA driver).",
       " new mlp, batch 32 600 "});
  CHECK_THAT(text, !contains_text("energy [x]"));
}

TEST_CASE("published power is compared with measured energy with a caution") {
  RunRecord own = run_on("desk", "cuda:0", {timed_case("vae", 128, 2, 1)});
  own.cases.front().dataset = "mnist";
  own.cases.front() = with_energy(own.cases.front(), 300, PowerScope::kGpuBoard);
  check_parts(flattened(to_text(compared(published_run("rtx-2070-super"), own))),
              {"Different energy scope: RTX 2070 Super published, desk gpu-board (1 case).",
               "RTX 2070 Super: published values, different protocol, not verified: ",
               "energy scope published gpu-board 1 case - - - - caution"});
}

TEST_CASE("a run page shows energy, power over time, and sustained speed") {
  check_parts(flattened(rendered(run_page(soaked_run(), "run.json", 0.3))),
              {" Speed after the first minute drops by 20 % (cnn, batch 128); ",
               " mlp, batch 32 1,200 0.100 24.0 300 375 ", " Cost of the gross energy at 0.3 per kWh ",
               " mlp, batch 32 nvml 4,800 16.0 375 50 60 100.00 40 0.100 ",
               " cnn, batch 128 5,000 4,000 80.0 70.0 heat in 16 of 24 epochs "});
  const std::string html = rendered(run_page(soaked_run(), "run.json"), "html");
  for (const char* const chart : {"Power of cnn, batch 128", "highest temperature [°C]", "mean clock [MHz]"})
    CHECK_THAT(html, contains_text(chart));
}

TEST_CASE("cases without energy of their own device are counted") {
  RunRecord run = card("old", 1, 250);
  run.cases[0].energy.front().device_note = "several GPUs could be cuda:0";
  run.cases[2].energy.front().device = "cuda:1";
  CHECK_THAT(rendered(run_page(run, "run.json"), "md"),
             contains_text("Energy not measured (2 of 3 cases): no power source is known to measure "
                           "cuda:0: several GPUs could be cuda:0"));
}

TEST_CASE("impossible energy figures do no harm") {
  RunRecord run = soaked_run();
  run.cases.back().warmup_epochs = std::numeric_limits<std::int64_t>::max();
  EnergyRecord& energy = run.cases.front().energy.front();
  energy.energy = Joules{-5};
  energy.watts_step = Seconds{0};
  energy.watts = {1, NAN, INFINITY, -1};
  energy.watts_start = Seconds{-1e300};
  CHECK_FALSE(rendered(run_page(run, "run.json", 0.3)).empty());
  CHECK_FALSE(rendered(run_page(run, "run.json", 0.3), "html").empty());
  CHECK_FALSE(to_text(compared(run, run, 0.3)).empty());
}

TEST_CASE("the chart of time and energy has points without lines") {
  const std::string svg =
      rendered(comparison_page(compared(card("old", 1, 250), card("new", 0.5, 300))), "svg");
  const std::size_t start = svg.find("Points: energy per epoch by median epoch");
  REQUIRE(start != std::string::npos);
  const std::string chart = svg.substr(start, svg.find("</svg>", start) - start);
  CHECK_THAT(chart, contains_text("<title>new, mlp, batch 32, 2 s: 600 J</title>"));
  CHECK_THAT(chart, !contains_text("<polyline"));
}

}  // namespace gpubench::test::energy_test
