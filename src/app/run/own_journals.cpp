#include "app/run/own_journals.h"

#include <span>

#include "gpubench/core/io/digest.h"
#include "gpubench/core/io/machine_cache.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

MachineCache journals() {
  const auto folder = cache_folder();
  return MachineCache(folder.empty() ? folder : folder / "journals");
}

/// One line that no other journal has: what was asked for, where and when. Devices may be measured anew
/// later.
std::string key_of(const JournalHeader<Case>& header) {
  const std::string text = json_text({to_json(header.tool), header.environment.host});
  return "journal 1; " + sha256(std::as_bytes(std::span(text)));
}

}  // namespace

void remember_journal(const JournalHeader<Case>& header) { journals().store(key_of(header), "begun\n"); }

bool is_own_journal(const JournalHeader<Case>& header) { return journals().find(key_of(header)).has_value(); }

}  // namespace gpubench
