#pragma once
// Report formats, which convert a page to a document. Implementations: src/formats, one file each.

#include <string>

#include "gpubench/core/catalog.h"
#include "gpubench/record/page.h"

namespace gpubench {

/// Catalog entry of a format.
struct ReportFormat {
  std::string name;     ///< File extension without the dot: "html", "csv".
  std::string summary;  ///< One line for help.

  /// Renders the document, with a final newline. Pure: the same page gives the same bytes, in every locale.
  std::string (*render)(const Page& page);

  bool reads_data = false;  ///< True if it reads Page::data, which is large.
};

/// Returns all formats, in the order of src/formats/catalog.def.
const Catalog<ReportFormat>& report_formats();

}  // namespace gpubench
