#include <filesystem>

#include "app/ops_inputs.h"
#include "app/result_commands.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/ops_file.h"
#include "gpubench/report_writer.h"
#include "gpubench/run_file.h"
#include "pages/ops/ops_page.h"
#include "pages/run/run_page.h"

namespace gpubench {

namespace {

Page page_of(const ShowOptions& options) {
  const std::optional<double> price = price_of(options.price);
  const std::filesystem::path path(options.file);
  if (!are_ops({options.file})) return run_page(read_run_file(path), path.filename().string(), price);
  return ops_page(read_ops_file(path), path.filename().string());
}

}  // namespace

ExitCode run_show(const ShowOptions& options) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  print_out(format.render(page_of(options)));
  return ExitCode::kOk;
}

}  // namespace gpubench
