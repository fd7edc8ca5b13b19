#include "ops/entries.h"

namespace gpubench {
namespace {

std::vector<OpEntry> make_ops() {
  return {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "ops/catalog.def"
#undef GPUBENCH_ENTRY
  };
}

}  // namespace

const Catalog<OpEntry>& ops() {
  static const Catalog<OpEntry> all("operation", make_ops());
  return all;
}

}  // namespace gpubench
