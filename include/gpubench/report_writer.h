#pragma once
// A report format: a run's record in, a document out. Implementations live in src/report, one file each.

#include <string>

#include "gpubench/core/catalog.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// A format that a record can be written in.
struct ReportFormat {
  std::string name;     ///< "json", "table".
  std::string summary;  ///< One line for people.

  /// The whole document, ending in a newline. Pure: the same record gives the same bytes, in every locale.
  std::string (*render)(const RunRecord& record);
};

/// All formats, in the order of src/report/catalog.def.
const Catalog<ReportFormat>& report_formats();

}  // namespace gpubench
