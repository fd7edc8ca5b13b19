#include "engine/selftest/checks/entries.h"

namespace gpubench {

const Catalog<CheckEntry>& checks() {
  static const Catalog<CheckEntry> all("check", {
#define GPUBENCH_ENTRY(stem) check_##stem(),
#include "engine/selftest/checks/catalog.def"
#undef GPUBENCH_ENTRY
                                                });
  return all;
}

}  // namespace gpubench
