#include <filesystem>

#include <fmt/format.h>

#include "app/ops_inputs.h"
#include "app/result_commands.h"
#include "app/result_file.h"
#include "app/result_inputs.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/report_writer.h"
#include "pages/comparison/comparison_page.h"
#include "pages/ops/ops_page.h"
#include "pages/run/run_page.h"

namespace gpubench {
namespace {

const ReportFormat& format_for(const std::string& output) {
  std::string ending = std::filesystem::path(output).extension().string();
  if (!ending.empty()) ending.erase(0, 1);
  if (const ReportFormat* format = report_formats().find(ending)) return *format;
  throw Error(ErrorKind::kUsage, fmt::format("--output {}: its ending names no format; end it in .{}", output,
                                             join(report_formats().names(), ", .")));
}

std::vector<Contender> contenders_of(const std::vector<NamedRun>& runs) {
  std::vector<Contender> all;
  for (const NamedRun& run : runs) {
    for (Contender& contender : contenders_of(run.run, run.name)) all.push_back(std::move(contender));
  }
  return all;
}

/// The comparison, then each file by itself.
Page page_of(const std::vector<NamedRun>& runs, bool is_forced, std::optional<double> price_kwh) {
  Comparison comparison = compare(contenders_of(runs), is_forced);
  comparison.price_kwh = price_kwh;
  if (comparison.duels.empty()) return run_page(runs.front().run, runs.front().name, price_kwh);
  Page page = comparison_page(comparison, Detail::kCharts);
  page.data = comparison_data(comparison);
  if (comparison.duels.size() > kMostDetailed) return page;
  page.sections.push_back(environments_section(runs));
  for (const NamedRun& run : runs) {
    for (Section& section : run_sections(run.run, run.name, price_kwh))
      page.sections.push_back(std::move(section));
  }
  return page;
}

/// The comparison, then each table by itself.
Page page_of(const std::vector<NamedOps>& tables) {
  if (tables.size() == 1) return ops_page(tables.front().ops, tables.front().name);
  Page page = ops_comparison_page(tables);
  if (tables.size() > kMostDetailed) return page;
  for (const NamedOps& table : tables) {
    for (Section& section : ops_page(table.ops, table.name).sections) {
      section.title = table.name + ": " + section.title;
      page.sections.push_back(std::move(section));
    }
  }
  return page;
}

/// Runs or tables of operations, for which forcing and prices mean nothing.
Page page_for(const std::vector<std::string>& inputs, const ReportOptions& options) {
  const std::optional<double> price = price_of(options.price);
  if (!are_ops(inputs)) return page_of(load_runs(inputs), options.is_forced, price);
  if (!price && !options.is_forced) return page_of(load_ops(inputs));
  throw Error(ErrorKind::kUsage, std::string(price ? "--price-kwh" : "--force") +
                                     ": works on results of runs, not on tables of operations; leave it out");
}

}  // namespace

ExitCode run_report(const ReportOptions& options) {
  std::vector<std::string> inputs = options.against;
  inputs.insert(inputs.end(), options.inputs.begin(), options.inputs.end());
  if (inputs.empty()) {
    throw Error(ErrorKind::kUsage,
                "report: name result files, as in 'gpubench report run.json -o report.html'");
  }
  const ReportFormat& format = format_for(options.output);
  const ResultFile file(options.output, "");
  file.save(format.render(page_for(inputs, options)));
  if (!options.is_quiet) say("report in " + file.path().string());
  return ExitCode::kOk;
}

}  // namespace gpubench
