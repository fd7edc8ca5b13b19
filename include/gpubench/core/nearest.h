#pragma once
// "Did you mean ...?": the known name nearest to a mistyped one.

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpubench/core/collect.h"

namespace gpubench {

enum class ErrorKind;  // error.h

/// Returns the entry of `known` nearest to `name`, if that is a likely slip.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

/// Returns "unknown model 'cn'; did you mean 'cnn'? known: mlp, cnn, lstm" for the `kind` "model".
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string> known);

/// Throws an Error of `error` with this message.
[[noreturn]] void throw_unknown_name(ErrorKind error, std::string_view kind, std::string_view name,
                                     std::span<const std::string> known);
/// Throws a usage Error with this message, after `option` and a colon unless that is empty.
[[noreturn]] void throw_unknown_name(std::string_view option, std::string_view kind, std::string_view name,
                                     std::span<const std::string> known);

}  // namespace gpubench
