#include "ops/entries.h"

namespace gpubench {

const Catalog<OpEntry>& ops() {
  static const Catalog<OpEntry> all("operation", {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "ops/catalog.def"
#undef GPUBENCH_ENTRY
                                                 });
  return all;
}

}  // namespace gpubench
