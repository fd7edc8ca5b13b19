#pragma once

#include <memory>
#include <string>

#include "engine/execution/executor.h"
#include "gpubench/core/clock.h"
#include "gpubench/dataset.h"
#include "gpubench/report_writer.h"

namespace gpubench {

/// Counts SIGINT, SIGTERM and SIGHUP, and ignores SIGPIPE, while the result exists. Call it before any other
/// thread starts. `unit` is the part of the run that still finishes, for the message.
std::unique_ptr<Interrupts> watch_interrupts(const std::string& unit = "epoch");

/// Draws the progress of rows on stderr, which is a terminal. `clock` must outlive the result.
std::unique_ptr<Progress> make_progress_line(const Clock& clock);

/// Prints a line per finished case on stderr, for logs; of operations only one per tenth of the rows. Adds
/// the remaining time once all remaining cases have run before. `clock` must outlive the result.
std::unique_ptr<Progress> make_progress_log(const Clock& clock);

/// Renders the page in the width of stdout. `is_quiet` omits the notes below tables.
std::string render_for_stdout(Page page, const ReportFormat& format, bool is_quiet = false);

/// Returns a callback that shows downloads on stderr if that is a terminal, unless quiet.
DownloadProgress download_progress(bool is_quiet);

}  // namespace gpubench
