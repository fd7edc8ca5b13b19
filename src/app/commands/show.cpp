#include <filesystem>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/peak_report.h"
#include "app/run/selftest_report.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/report_writer.h"
#include "pages/ops_page.h"
#include "pages/run_page.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

struct Options {
  std::string file;
  std::string format = "txt";  ///< Name of a report format.
  std::string price;           ///< Of a kWh, as parse_price() takes it; empty: no costs.
};

Page page_of_run(const Options& options, const RunRecord& run, const std::string& name,
                 const ReportFormat& format) {
  const std::optional<double> price = to_price(options.price);
  Page page = run_page(run, name, price);
  if (format.reads_data) page.data = run_data(run, name);
  return page;
}

/// As `gpubench peak` prints them.
std::string peak_text(const Json& document) {
  std::vector<PeakMeasurement> devices;
  for (const PeakPoint& point : peak_from_json(document).points) {
    if (devices.empty() || devices.back().device.name != point.device)
      devices.emplace_back().device.name = point.device;
    devices.back().points.push_back(point);
  }
  return peak_table(devices);
}

std::string to_text(const Options& options, const Json& document) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  const std::string name = std::filesystem::path(options.file).filename().string();
  const DocumentKind kind = document_kind(document);
  if (kind == DocumentKind::kRun)
    return format.render(page_of_run(options, run_from_json(document), name, format));
  require(options.price.empty(), "{}: is {}; --price-kwh is for runs, leave it out", options.file,
          words_for(kind));
  if (kind == DocumentKind::kOperations) return format.render(ops_page(ops_from_json(document), name));
  require(options.format == "txt", "{}: is {}, which is shown as txt alone; leave --format out", options.file,
          words_for(kind));
  return kind == DocumentKind::kPeak ? peak_text(document)
                                     : selftest_table(selftest_from_json(document).checks);
}

ExitCode show(const Options& options) {
  const Json document = read_document(options.file);
  try {
    print(to_text(options, document));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kData) throw;
    throw Error(error.kind(), "{}: {}", options.file, error.what());
  }
  return ExitCode::kOk;
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "FILE", "Result file", options->file).required();
  add_format(parser, options->format);
  add_price(parser, options->price);
  parser.footer("Examples:\n  gpubench show results/run.json\n  gpubench show run.json --format md > run.md");
  parser.on_parsed([options] { return show(*options); });
}

}  // namespace

CommandEntry entry_show() {
  return {"show", "Show a result file: tables and charts as text", CommandKind::kListed, add_options};
}

}  // namespace gpubench
