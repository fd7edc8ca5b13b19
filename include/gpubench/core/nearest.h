#pragma once
// Suggestions for mistyped names: "did you mean ...?".

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "gpubench/core/collect.h"

namespace gpubench {

enum class ErrorKind;  // error.h

/// Returns the entry of `known` nearest to `name`, if `name` is likely a typo of it.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

/// Returns "unknown model 'cn'; did you mean 'cnn'? known: mlp, cnn, lstm" for the `kind` "model".
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 std::span<const std::string> known);

/// Throws an Error of kind `error` with unknown_name_message().
[[noreturn]] void throw_unknown_name(ErrorKind error, std::string_view kind, std::string_view name,
                                     std::span<const std::string> known);
/// Throws a usage Error with unknown_name_message(), prefixed by "option: " unless `option` is empty.
[[noreturn]] void throw_unknown_name(std::string_view option, std::string_view kind, std::string_view name,
                                     std::span<const std::string> known);

}  // namespace gpubench
