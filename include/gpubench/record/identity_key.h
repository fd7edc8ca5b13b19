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
};

}  // namespace gpubench
