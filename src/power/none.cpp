#include "power/entries.h"

namespace gpubench {
namespace {

PowerSources open(const MeterRequest&, std::string& why_not) {
  why_not = "asked for with --meter none";
  return {};
}

}  // namespace

MeterEntry entry_none() { return {"none", "no energy is measured", false, open}; }

}  // namespace gpubench
