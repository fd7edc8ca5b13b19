#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/compared_runs.h"
#include "app/files/inputs.h"
#include "app/run/terminal.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/format.h"

namespace gpubench::compare_plugin {
namespace {

struct Options : ComparedInputs {
  std::string format = "txt";  ///< Name of a report format.
  GateOptions gate;
  bool shows_details = false;
  std::string values;  ///< Print a row per value of "runs" or "operations" instead of the comparison.
};

void require_files(const Options& options) {
  require(!options.all().empty(),
          "compare: no file; name result files, as in 'gpubench compare laptop.json desk.json'");
}

ComparedRuns compare_files(const Options& options, Selection selection) {
  require_files(options);
  ComparedRuns compared = load_compared(options, selection);
  if (!compared.comparison.versus_baseline.empty() || options.is_of_history()) return compared;
  throw Error(ErrorKind::kUsage,
              "compare: the files have only one device; name a second file, or published:{}",
              compared.runs.front().run.has_operations() ? "m3-max/mps" : "rtx-2070-super");
}

/// Returns the page of a comparison with a history without earlier runs of any row.
Page empty_page() {
  return {"Comparison with earlier runs",
          {caution("No verdict: the store has no earlier runs of these cases; {} are needed.", kFewestRuns)},
          {},
          {}};
}

/// Compares the files for a gate, which must not pass by skipping a file.
ExitCode print_gate(const Options& options, const ReportFormat& format) {
  const ComparedRuns compared = compare_files(options, Selection::kAll);
  const Comparison& comparison = compared.comparison;
  Page page = empty_page();
  ExitCode code = ExitCode::kInconclusive;
  if (!comparison.versus_baseline.empty()) {
    const GateReport report = gate(comparison, options.gate.limits, options.gate.allowed);
    page = gate_page(comparison, report);
    code = exit_code(report.answer);
  }
  append(page.summary, compared.warnings);
  print(render_for_stdout(page, format));
  return code;
}

ExitCode print_values(const Options& options, const ReportFormat& format) {
  require(options.gate.limits.empty() && !options.price_kwh && !options.equal_within,
          "--values: excludes --gate, --price-kwh and --equivalence-margin; leave them out");
  require(format.reads_data, "--values: needs a machine-readable format; add --format tsv or csv");
  const bool is_of_runs = options.values == "runs";
  require(is_of_runs || options.values == "operations", "--values {}: give runs or operations",
          options.values);
  require(!options.is_of_history(), "--values: excludes --baseline history; leave it out");
  require_files(options);
  Page page;
  const DocumentKind kind = is_of_runs ? DocumentKind::kRun : DocumentKind::kOperations;
  page.data = comparison_values(compare(candidates_in(load_runs(options.all(), kind)), options.is_forced));
  print(render_for_stdout(page, format));
  return ExitCode::kOk;
}

ExitCode run_compare(const Options& options) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  check_gate(options.gate, options.equal_within);
  if (!options.values.empty()) return print_values(options, format);
  if (!options.gate.limits.empty()) return print_gate(options, format);
  const ComparedRuns compared = compare_files(options, Selection::kUsable);
  const Comparison& comparison = compared.comparison;
  Page page = comparison.versus_baseline.empty() ? empty_page() : comparison_page(comparison);
  append(page.summary, compared.warnings);
  if (format.reads_data) page.data = comparison_data(comparison);
  page.shows_details = options.shows_details;
  page.details_option = "--details";
  print(render_for_stdout(page, format));
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  add_inputs(parser, *options);
  add_format(parser, options->format);
  add_gate(parser, options->gate, "Fail if a case is worse by more than this (CI)");
  parser.option("--values", "KIND", "Print a row per value: runs or operations (tsv, csv)", options->values);
  parser.flag("--details", "Print all tables and notes", options->shows_details);
  parser.footer(
      "Examples:\n  gpubench compare laptop.json workstation.json\n"
      "  gpubench compare run.json --baseline published:rtx-2070-super\n"
      "  gpubench compare results/ --format csv > all.csv\n"
      "  gpubench compare results/*.json --values runs --format tsv > values.tsv\n"
      "  gpubench compare a.json b.json --metric latency,peak_bytes\n"
      "  gpubench compare ops.json --baseline published:m3-max/mps\n"
      "  gpubench compare a.json b.json c.json --price a=0.50 --price b=1.20\n"
      "  gpubench compare before.json after.json --gate 5%,p99_latency_seconds:10%\n"
      "  gpubench compare run.json --baseline history --gate 5%\n"
      "Exit codes with --gate: 0 ok, 6 regression, 7 inconclusive, 8 incomparable");
  parser.on_parsed([options] { return run_compare(*options); });
}

}  // namespace

CommandEntry entry_compare() {
  return {"compare", "Compare results: which is faster, and by how much", add_options};
}

}  // namespace gpubench::compare_plugin
