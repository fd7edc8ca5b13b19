#pragma once
// A report format: a page in, a document out. Implementations live in src/formats, one file each.

#include <string>

#include "gpubench/core/catalog.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// A format that a page can be written in.
struct ReportFormat {
  std::string name;     ///< What a file of it ends in, without the dot: "html", "csv".
  std::string summary;  ///< One line for people.

  /// The whole document, ending in a newline. Pure: the same page gives the same bytes, in every locale.
  std::string (*render)(const Page& page);

  bool reads_data = false;  ///< Whether it reads the data of the page, which is large.
};

/// All formats, in the order of src/formats/catalog.def.
const Catalog<ReportFormat>& report_formats();

}  // namespace gpubench
