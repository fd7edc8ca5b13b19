#pragma once
// Where the figures of a record come from that were not measured by gpubench but taken from a publication.

#include <string>
#include <vector>

#include "gpubench/core/reading.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// A publication, and what it states of each case beyond what a CaseRecord holds.
struct PublishedRecord {
  std::string title;             ///< What was compared, and where.
  Reading<std::string> address;  ///< URL of the publication.
  std::string protocol;          ///< What was measured, and how, in words.
  std::string note;              ///< What to mind before such figures stand beside measured ones.

  /// Further figures of each case, in the order of the cases, each with its unit in its name, such as
  /// {"power_watts", 35}. A figure that is not stated is left out.
  std::vector<NamedValues> figures;
};

}  // namespace gpubench
