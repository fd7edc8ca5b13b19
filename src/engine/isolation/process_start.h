#pragma once
// Programs started as child processes.

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace gpubench {

/// Starts `arguments[0]`, a path or a name on PATH, in a group of its own and with the signals as a program
/// expects them. Each of `connections` is a descriptor of this process and its number in the child; those in
/// `inherited` keep theirs, and no others are open in it but those that this process did not mark as its own.
/// Throws an internal Error where it cannot be started.
pid_t start_program(const std::vector<std::string>& arguments,
                    const std::vector<std::pair<int, int>>& connections, const std::vector<int>& inherited);

/// Throws the internal Error of a worker that cannot be started.
[[noreturn]] void fail_to_start(const std::string& what, int error);

}  // namespace gpubench
