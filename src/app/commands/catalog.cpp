#include "app/commands/entries.h"

namespace gpubench {
namespace {

std::vector<CommandEntry> make_commands() {
  return {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "app/commands/catalog.def"
#undef GPUBENCH_ENTRY
  };
}

}  // namespace

const Catalog<CommandEntry>& commands() {
  static const Catalog<CommandEntry> all("subcommand", make_commands());
  return all;
}

}  // namespace gpubench
