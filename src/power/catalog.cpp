#include "power/entries.h"

namespace gpubench {
namespace {

std::vector<MeterEntry> make_meters() {
  return {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "power/catalog.def"
#undef GPUBENCH_ENTRY
  };
}

}  // namespace

const Catalog<MeterEntry>& power_meters() {
  static const Catalog<MeterEntry> meters("power meter", make_meters());
  return meters;
}

}  // namespace gpubench
