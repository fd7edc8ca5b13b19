#pragma once
// Short names of rows: what distinguishes them, and no more.

#include <set>
#include <span>
#include <string>
#include <string_view>

#include "gpubench/record/row_identity.h"

namespace gpubench {

/// Knows in what rows differ. Names may hold what a file of unknown origin does.
class RowNames {
 public:
  explicit RowNames(std::span<const RowIdentity> rows);

  /// "mlp on cpu, batch 128, bf16"; "matmul 64x256 256x32, bf16". Of less than a whole identity what is left:
  /// without the batch size what a line of a chart is about, without operation and sizes "bf16".
  std::string of(const RowIdentity& identity) const;

  /// The sizes in which the rows of its model differ, "hidden=500, layers=4", and those in which they do not.
  std::string told_sizes(const RowIdentity& identity) const { return format_sizes(identity, true); }
  std::string common_sizes(const RowIdentity& identity) const { return format_sizes(identity, false); }

 private:
  std::string format_sizes(const RowIdentity& identity, bool are_shown) const;
  bool is_shown(const RowIdentity::Part& part) const;

  std::set<std::string_view> unlike_;   ///< Keys of parts that are to be shown.
  std::set<std::string> unlike_sizes_;  ///< Names of the sizes in which cases of one model differ.
};

}  // namespace gpubench
