// The catalog of operations with their functions.

#include "gpubench/op.h"

namespace gpubench {

#define GPUBENCH_OP(name, source, ...) \
  namespace source##_plugin {          \
    OpFunctions make_##name();         \
  }
#include "ops/catalog/catalog.def"
#undef GPUBENCH_OP

const Catalog<OpEntry>& ops() {
#define GPUBENCH_OP(name, source, ...) \
  OpEntry{op_catalog().require(#name, ""), source##_plugin::make_##name()},
  static const Catalog<OpEntry> all("operation", {
#include "ops/catalog/catalog.def"
                                                 });
#undef GPUBENCH_OP
  return all;
}

}  // namespace gpubench
