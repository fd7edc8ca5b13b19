#include <cstdio>
#include <filesystem>

#include "app/result_commands.h"
#include "gpubench/compare/run_page.h"
#include "gpubench/report_writer.h"
#include "gpubench/run_file.h"

namespace gpubench {

ExitCode run_show(const ShowOptions& options) {
  const ReportFormat& format = report_formats().require(options.format, "--format");
  const std::optional<double> price = price_of(options.price);
  const std::filesystem::path path(options.file);
  const std::string text = format.render(run_page(read_run_file(path), path.filename().string(), price));
  std::fwrite(text.data(), 1, text.size(), stdout);
  return ExitCode::kOk;
}

}  // namespace gpubench
