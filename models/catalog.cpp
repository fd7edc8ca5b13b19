#include "entries.h"

namespace gpubench {

const Catalog<ModelEntry>& models() {
  static const Catalog<ModelEntry> catalog("model", {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "catalog.def"
#undef GPUBENCH_ENTRY
                                                    });
  return catalog;
}

}  // namespace gpubench
