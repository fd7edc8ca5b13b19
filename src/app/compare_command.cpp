#include "app/ops_inputs.h"
#include "app/result_commands.h"
#include "app/result_inputs.h"
#include "gpubench/compare/comparison_page.h"
#include "gpubench/compare/gate_report.h"
#include "gpubench/compare/ops_page.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/percent.h"
#include "gpubench/core/price.h"
#include "gpubench/report_writer.h"

namespace gpubench {
namespace {

/// What is compared against comes first: it is the baseline.
std::vector<std::string> inputs_of(const CompareOptions& options) {
  std::vector<std::string> inputs = options.against;
  inputs.insert(inputs.end(), options.inputs.begin(), options.inputs.end());
  if (!inputs.empty()) return inputs;
  throw Error(ErrorKind::kUsage,
              "compare: name two result files, as in 'gpubench compare laptop.json desk.json'");
}

Comparison comparison_of(const CompareOptions& options, bool needs_intervals) {
  const std::optional<double> price = price_of(options.price);
  Comparison comparison = compare(load_contenders(inputs_of(options), needs_intervals), options.is_forced);
  comparison.price_kwh = price;
  if (!comparison.duels.empty()) return comparison;
  throw Error(ErrorKind::kUsage,
              "compare: only one device is in these files; name a second file, or published:rtx-2070-super");
}

void print(const ReportFormat& format, const Page& page) { print_out(format.render(page)); }

ExitCode exit_code(GateAnswer answer) {
  switch (answer) {
    case GateAnswer::kRegression:
      return ExitCode::kRegression;
    case GateAnswer::kIncomparable:
      return ExitCode::kIncomparable;
    case GateAnswer::kInconclusive:
      return ExitCode::kInconclusive;
    case GateAnswer::kPass:
      break;
  }
  return ExitCode::kOk;
}

ExitCode run_gate(const CompareOptions& options, const ReportFormat& format) {
  const double threshold = parse_percent(options.gate, "--gate");
  const Comparison comparison = comparison_of(options, true);
  const GateReport report = gate(comparison, threshold);
  print(format, gate_page(comparison, report));
  return exit_code(report.answer);
}

/// What these ask for, tables of operations do not have.
void refuse_options_of_runs(const CompareOptions& options) {
  const std::string option = !options.gate.empty()    ? "--gate"
                             : !options.price.empty() ? "--price-kwh"
                             : options.is_forced      ? "--force"
                                                      : "";
  if (option.empty()) return;
  throw Error(ErrorKind::kUsage,
              option + ": works on results of runs, not on tables of operations; leave it out");
}

ExitCode compare_ops(const CompareOptions& options, const ReportFormat& format) {
  refuse_options_of_runs(options);
  print(format, ops_comparison_page(load_ops(inputs_of(options))));
  return ExitCode::kOk;
}

void refuse_options_without_figures(const CompareOptions& options, const ReportFormat& format) {
  const std::string why = !options.gate.empty()    ? "does not go with --gate; leave one out"
                          : !options.price.empty() ? "does not go with --price-kwh; leave one out"
                          : !format.reads_data     ? "makes rows for other programs; add --format tsv or csv"
                                                   : "";
  if (!why.empty()) throw Error(ErrorKind::kUsage, "--figures: " + why);
}

ExitCode print_figures(const CompareOptions& options, const ReportFormat& format) {
  refuse_options_without_figures(options, format);
  const DocumentKind kind = document_kind_named(options.figures);
  const std::vector<std::string> inputs = inputs_of_kind(inputs_of(options), kind);
  Page page;
  page.data = kind == DocumentKind::kRun
                  ? comparison_figures(compare(load_contenders(inputs, true), options.is_forced))
                  : ops_figures(load_ops(inputs));
  print(format, page);
  return ExitCode::kOk;
}

}  // namespace

std::optional<double> price_of(const std::string& price) {
  return price.empty() ? std::nullopt : std::optional(parse_price(price, "--price-kwh"));
}

ExitCode run_compare(const CompareOptions& options) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  if (!options.figures.empty()) return print_figures(options, format);
  if (are_ops(inputs_of(options))) return compare_ops(options, format);
  if (!options.gate.empty()) return run_gate(options, format);
  const Comparison comparison = comparison_of(options, format.reads_data);
  Page page = comparison_page(comparison, Detail::kTables);
  if (format.reads_data) page.data = comparison_data(comparison);
  print(format, page);
  return ExitCode::kOk;
}

}  // namespace gpubench
