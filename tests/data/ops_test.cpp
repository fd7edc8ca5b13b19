// Tables of operations: documents, pages, comparisons.

#include <cmath>
#include <functional>

#include "compare/published.h"
#include "compare/rows.h"
#include "data/golden_text.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/run_page.h"
#include "record/document/json.h"
#include "record/document/record_json.h"
#include "support/catch.h"
#include "support/sample_ops.h"

namespace gpubench::test::ops_test {
namespace {

using Faults = std::vector<std::string>;

std::string rendered(const Page& page, const std::string& format = "txt") {
  return report_formats().require(format, "format").render(page);
}

std::string shown(const RunRecord& ops, const std::string& format = "txt") {
  Page page = run_page(ops, "ops.json");
  page.shows_details = true;
  page.data = run_data(ops, "ops.json");
  return rendered(page, format);
}

Comparison compared(const RunRecord& base, const RunRecord& other) {
  std::vector<Candidate> candidates = make_candidates(base, "base.json");
  append(candidates, make_candidates(other, "other.json"));
  return compare(std::move(candidates), false);
}

std::string comparison_text(const RunRecord& base, const RunRecord& other,
                            const std::string& format = "txt") {
  return rendered(comparison_report(compared(base, other), {{"base.json", base}, {"other.json", other}}),
                  format);
}

OpRecord crashed(OpRecord row) {
  row.status = RowStatus::kCrashed;
  row.status_reason = "ended by signal 9";
  row.call_seconds.clear();
  row.host_call_seconds.clear();
  row.error = missing("the row is crashed");
  return row;
}

Json make_document(const RunRecord& ops) { return parse_document(run_document(ops)); }

/// Returns five repeats of two rows; the first row has `factor` times its usual time.
RunRecord repeated_ops(double factor) {
  RunRecord ops = empty_ops();
  for (const int repeat : {1, 2, 3, 4, 5}) {
    for (const auto& [type, seconds] : {std::pair{OpType::kFp32, factor * 0.0021}, {OpType::kBf16, 0.0021}}) {
      OpRecord& row = ops.operations.emplace_back(finished_row(seconds * (1 + 0.001 * repeat)));
      row.type = type;
      row.repeat = repeat;
    }
  }
  return ops;
}

std::vector<RunRecord> samples() {
  return {empty_ops(), mixed_ops(), matrix_ops(), sweep_ops(), laptop_ops(), published_run("a100/cuda")};
}

}  // namespace

TEST_CASE("a table of operations matches the expected document") {
  RunRecord ops = mixed_ops();
  ops.operations = {ops.operations.front(), ops.operations.back()};
  check_golden("ops.json", run_document(ops));
}

TEST_CASE("a published table has only stated values") {
  const Json document = make_document(published_run("m1/mps"));
  CHECK_FALSE(document.contains("tool"));
  CHECK(document.at("published").at("address") == "https://github.com/TristanBilot/mlx-benchmark");
  CHECK(document.at("results").at(0) == Json{{"workload", "op"},
                                             {"status", "ok"},
                                             {"asked",
                                              {{"op", "argmax"},
                                               {"sizes", "64x1024x128 axis=0"},
                                               {"type", "fp32"},
                                               {"direction", "forward"},
                                               {"device", "mps"},
                                               {"protocol", "s4"}}},
                                             {"facts", {{"calls_per_sample", 1}}},
                                             {"samples", {{"call_seconds", {0.00393}}}}});
}

TEST_CASE("every table of operations is valid and survives writing and reading") {
  for (const RunRecord& ops : samples()) {
    const Json document = make_document(ops);
    CHECK(document_faults(document) == Faults());
    CHECK(run_document(ops_from_json(document)) == run_document(ops));
  }
}

TEST_CASE("wrong derived values of an operation are named") {
  Json document = make_document(mixed_ops());
  document["results"][2]["figures"]["flops_share"] = 0.9;
  const Faults faults = document_faults(sealed(document));
  REQUIRE(faults.size() == 1);
  CHECK_THAT(faults[0], contains_text("results[2].figures.flops_share: is 0.9, but the raw values give "));
}

TEST_CASE("tables of operations match the expected pages") {
  check_golden("ops_page.txt", shown(mixed_ops()));
  CHECK(shown(mixed_ops(), "csv").starts_with("file,op,sizes,type,direction,cache,device,"));
}

TEST_CASE("operations in several types are shown as a matrix, a sweep as a chart") {
  check_parts(shown(matrix_ops()),
              {"Operations by type\n------------------\n\n"
               "operation         fp32   fp16      bf16           fp64              int32            int64\n",
               "ok             ok                unsupported [1]  unsupported [1]\n",
               "sum 4x8x8 axis=0  - [3]  - [3]     incorrect [4]  cpu-fallback [5]  - [3]            - [3]\n",
               "[3] not run\n", "- cpu-fallback: ran on the CPU instead of the device\n"});
  check_parts(shown(sweep_ops()), {"matmul 2048x2048 2048x2048  oom [1]  - [2]\n"});
  CHECK_THAT(shown(sweep_ops(), "html"), contains_text("Square matrix products"));
}

TEST_CASE("a published table of operations is shown with its warning first") {
  check_parts(shown(published_run("m1/mps")),
              {"Published figures, not measured by gpubench: times of operations of PyTorch on\nM1 ",
               "Device mps, host M1. 61 of 61 rows ok.\n",
               "argmax      64x1024x128 axis=0             ok      3.93 ms\n"});
}

TEST_CASE("a table of operations without a row, and one of failures, are shown too") {
  CHECK_THAT(shown(empty_ops()), contains_text("no rows"));
  RunRecord ops = mixed_ops();
  ops.operations.erase(ops.operations.begin(), ops.operations.begin() + 4);
  CHECK_THAT(shown(ops), contains_text("incorrect: "));
}

TEST_CASE("the data of operations has a row per operation with its identity") {
  Page page;
  page.data = comparison_values(compared(sweep_ops(), mixed_ops()));
  check_golden("ops_figures.csv", rendered(page, "csv"));
}

TEST_CASE("comparisons of operations match the expected pages") {
  check_golden("ops_compare.txt", comparison_text(laptop_ops(), mixed_ops()));
  check_golden("ops_compare.csv", comparison_text(laptop_ops(), mixed_ops(), "csv"));
  check_parts(flattened(comparison_text(mixed_ops(), mixed_ops())),
              {"failed in 6 of 10 rows: ", "Disturbed during measurement (load, heat or sleep): "});
  check_parts(flattened(comparison_text(published_run("m1-max/mps"), published_run("rtx-4090/cuda"))),
              {"was measured 9.80 times as fast as M1 Max", "geometric mean of 73 rows,",
               "published values have no interval", "times of operations of PyTorch on M1 Max",
               "53 more in the details"});
}

TEST_CASE("a gate treats operations like cases") {
  const Comparison slower = compared(repeated_ops(1), repeated_ops(1.3));
  check_golden("gate_ops.txt", rendered(gate_page(slower, gate(slower, {{nullptr, 0.05}}))));
}

TEST_CASE("repeats of operations are summarized in a section") {
  RunRecord repeated = empty_ops();
  for (const int repeat : {1, 2, 3}) {
    OpRecord often = finished_row(0.002 + 0.0001 * repeat);
    OpRecord twice = finished_row(0.0018 + 0.00001 * repeat);
    OpRecord once = finished_row(0.004);
    twice.op = "sum_all";
    once.op = "sort";
    if (repeat == 2) twice = crashed(twice);
    if (repeat > 1) once = crashed(once);
    for (OpRecord& row : {std::ref(often), std::ref(twice), std::ref(once)}) {
      row.repeat = repeat;
      repeated.operations.push_back(row);
    }
  }
  check_parts(shown(repeated), {"operation             repeats   median            ±   lowest  highest\n"
                                "matmul 1000x64x1024         3  2.20 ms     11 %      2.10 ms  2.30 ms\n"
                                "1000x1024x32\n"
                                "sum_all 1000x64x1024        2  1.82 ms  unknown [1]  1.81 ms  1.83 ms\n"
                                "1000x1024x32\n"
                                "[1] only two runs; use --repeat 5\n",
                                "[1] ended by signal 9\n"});
  std::erase_if(repeated.operations, [](const OpRecord& row) { return row.repeat > 1; });
  CHECK(shown(repeated).find("Repeats") == std::string::npos);
}

TEST_CASE("impossible figures of operations are shown as missing") {
  RunRecord ops = sweep_ops();
  ops.operations[0].call_seconds.assign(5, 0);
  ops.operations[1].call_seconds = {1, INFINITY, NAN};
  ops.operations[2].sizes = "round";
  ops.operations[3].flop = NAN;
  ops.operations[4].error = NAN;
  CHECK_FALSE(shown(ops).empty());
  CHECK_FALSE(comparison_text(ops, sweep_ops()).empty());
}

}  // namespace gpubench::test::ops_test
