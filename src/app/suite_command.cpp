#include "app/commands.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text_table.h"
#include "gpubench/engine/suite.h"

namespace gpubench {

ExitCode run_suite_list() {
  TextTable table({{"suite", Align::kLeft}, {"what", Align::kLeft}, {"from", Align::kLeft}});
  for (const Suite& suite : all_suites()) table.add_row({suite.name, suite.summary, suite.origin});
  print_out(table.to_string());
  return ExitCode::kOk;
}

ExitCode run_suite_show(const SuiteOptions& options) {
  print_out(load_suite(options.name).text);
  return ExitCode::kOk;
}

}  // namespace gpubench
