#include "data/entries.h"

namespace gpubench {

const Catalog<DatasetEntry>& datasets() {
  static const Catalog<DatasetEntry> catalog("dataset", {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "data/catalog.def"
#undef GPUBENCH_ENTRY
                                                        });
  return catalog;
}

}  // namespace gpubench
