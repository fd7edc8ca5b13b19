#include <filesystem>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/device_tables.h"
#include "app/run/terminal.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/report_writer.h"
#include "pages/run_page.h"
#include "record/document/json.h"
#include "record/document/record_json.h"

namespace gpubench::show_plugin {
namespace {

struct Options {
  std::string file;
  std::string format = "txt";  ///< Name of a report format.
  std::optional<double> price_kwh;
  bool shows_details = false;
};

std::string to_text(const Options& options, const Json& document) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  const std::string name = std::filesystem::path(options.file).filename().string();
  const DocumentKind kind = document_kind(document);
  require(!options.price_kwh || kind == DocumentKind::kRun,
          "--price-kwh: is not supported for {}, which is {}; leave it out", options.file, to_string(kind));
  if (kind == DocumentKind::kRun || kind == DocumentKind::kOperations) {
    const RunRecord run = any_run_from_json(document);
    Page page = run_page(run, name, options.price_kwh);
    page.shows_details = options.shows_details;
    page.details_option = "--details";
    if (format.reads_data) page.data = run_data(run, name);
    return render_for_stdout(std::move(page), format);
  }
  require(options.format == "txt", "--format {}: is not supported for {}, which is {}; leave it out",
          options.format, options.file, to_string(kind));
  if (kind == DocumentKind::kSelftest) return selftest_table(selftest_from_json(document).checks);
  return peak_table(peak_from_json(document).points);
}

void add_options(CommandParser& parser) {
  const auto options = std::make_shared<Options>();
  parser.option("file", "FILE", "Result file", options->file).required();
  add_format(parser, options->format);
  parser.flag("--details", "Print all tables and notes", options->shows_details);
  add_price(parser, options->price_kwh);
  parser.footer("Examples:\n  gpubench show results/run.json\n  gpubench show run.json --format md > run.md");
  parser.on_parsed([options] {
    print(read_document_as(options->file, [&](const Json& document) { return to_text(*options, document); }));
  });
}

}  // namespace

CommandEntry entry_show() { return {"show", "Show a result file as tables and charts", add_options}; }

}  // namespace gpubench::show_plugin
