#include "app/tables/table_run.h"

#include <fmt/format.h>

#include "app/command_line.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "pages/ops_page.h"

namespace gpubench {

OpsProgress::OpsProgress(bool is_quiet) : is_shown_(shows_progress(is_quiet)) {}

void OpsProgress::row_started(const OpRecord& row, std::size_t index, std::size_t count) {
  if (!is_shown_) return;
  draw_status(fmt::format("{}[{}/{}] {} {} {} on {}", kClearLine, index + 1, count, row.op, row.sizes,
                          to_string(row.type), row.device));
}

void OpsProgress::row_finished(const OpRecord& /*row*/) {
  if (is_shown_) draw_status(kClearLine);
}

Seconds duration_or(const std::string& text, Seconds otherwise, const std::string& option) {
  if (text.empty()) return otherwise;
  const Seconds given = parse_duration(text, option);
  require(given.value > 0, "{} {}: must be above 0", option, text);
  return given;
}

ExitCode continue_table(const std::string& file, const std::vector<std::string>& arguments) {
  const auto state = read_journal<OpWork>(journal_path(file));
  return parse_continued(state.header.tool.arguments, arguments)();
}

std::string op_sections_text(const OpsRecord& record, const std::string& name) {
  Page page = ops_page(record, name);
  page.sections = op_sections(record);
  return report_formats().require("txt", "--format").render(page);
}

}  // namespace gpubench
