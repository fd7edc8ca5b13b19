#include <sstream>

#include "gpubench/core/collect.h"
#include "power/entries.h"

namespace gpubench {
namespace {

/// An entry of `--meter`: "replay:FILE" has an argument.
struct Wanted {
  const MeterEntry& entry;
  std::string argument;
};

std::vector<Wanted> wanted_meters(const std::string& names) {
  std::vector<Wanted> all;
  for (const MeterEntry& entry : power_meters()) {
    if (names == "auto" && entry.is_automatic) all.push_back({entry, ""});
  }
  if (names == "auto") return all;
  std::istringstream list(names);
  for (std::string item; std::getline(list, item, ',');) {
    const auto colon = item.find(':');
    const std::string argument = colon == std::string::npos ? "" : item.substr(colon + 1);
    all.push_back({power_meters().require(item.substr(0, colon), "--meter"), argument});
  }
  if (all.empty()) throw Error(ErrorKind::kUsage, "--meter: name a meter, auto or none");
  return all;
}

}  // namespace

const Catalog<MeterEntry>& power_meters() {
  static const Catalog<MeterEntry> meters("power meter", {
#define GPUBENCH_ENTRY(stem) entry_##stem(),
#include "power/catalog.def"
#undef GPUBENCH_ENTRY
                                                         });
  return meters;
}

void check_meters(const std::string& names) { wanted_meters(names); }

OpenMeters open_meters(const std::string& names, const Clock& clock) {
  OpenMeters opened;
  std::vector<std::string> reasons;
  for (const Wanted& wanted : wanted_meters(names)) {
    std::string why_not;
    append(opened.sources, wanted.entry.open({wanted.argument, clock}, why_not));
    if (!why_not.empty()) reasons.push_back(wanted.entry.name + ": " + why_not);
  }
  if (opened.sources.empty()) opened.why_none = "no power meter can be read (" + join(reasons, "; ") + ")";
  return opened;
}

}  // namespace gpubench
