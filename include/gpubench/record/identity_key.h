#pragma once
// How a part of an identity is said in the name of a row.

#include <string_view>

namespace gpubench {

/// A kind of part of an identity, and how people say it.
struct IdentityKey {
  enum class InName {
    kAlways,
    kUnlessUsual,
    kWhereUnlike,      ///< In full, and among other rows where these differ in it.
    kOnlyWhereUnlike,  ///< Not in full.
    kNever,            ///< No part of an identity.
  };

  std::string_view name;  ///< As in result files: "batch_size".
  InName in_name;
  std::string_view before = ", ";  ///< ", batch ", then the value.
  std::string_view after = {};
  std::string_view usual = {};  ///< The value that goes without saying.
  /// Above 0: a mode. Rows that differ in it do the same work, and the nearest ones are compared. Distances
  /// are powers of two, so that no number of lesser modes outweighs a greater one.
  int mode_distance = 0;
};

}  // namespace gpubench
