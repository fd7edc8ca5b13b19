#include "formats/entries.h"

namespace gpubench {
namespace {

std::vector<ReportFormat> make_formats() {
  return {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "formats/catalog.def"
#undef GPUBENCH_ENTRY
  };
}

}  // namespace

const Catalog<ReportFormat>& report_formats() {
  static const Catalog<ReportFormat> formats("report format", make_formats());
  return formats;
}

}  // namespace gpubench
