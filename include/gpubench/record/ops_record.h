#pragma once
// A table of operations: everything that `gpubench ops` measured. Plain data.

#include <optional>
#include <string>
#include <vector>

#include "gpubench/record/op_record.h"
#include "gpubench/record/published.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// What was asked for.
struct OpsSettings {
  std::string protocol = "default";  ///< "default", or "s4": the second of two calls.
  std::string kind = "table";        ///< "table", "matrix": operations by types, or "sweep": square products.
  std::string set;  ///< Whose sizes: "published", "small", "all"; empty: sizes that were given.
  std::string isolation = "process";  ///< "process": rows are run in a process apart; "none".
  std::int64_t seed = 0;              ///< Of the inputs.
  Seconds sample;                     ///< A sample lasts so long at least,
  Seconds limit;                      ///< and a row is measured for about so long.
};

/// Rows in the order in which they were measured.
struct OpsRecord {
  static constexpr int kSchemaVersion = 2;
  ToolRecord tool;
  Environment environment;  ///< Its devices carry the peaks that rows are held against.
  OpsSettings settings;
  std::vector<OpRecord> rows;

  /// Set for figures that no gpubench measured: then `tool`, `environment` and `settings` say nothing.
  std::optional<PublishedRecord> published;
};

}  // namespace gpubench
