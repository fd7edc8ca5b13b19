#pragma once
// Manual pages out of the options that the program has.

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gpubench {

struct ManualPage {
  std::string name;  ///< Of its file: "gpubench-compare.1".
  std::string text;  ///< In mdoc, the macros of mdoc(7).
};

/// The page of `program`, with all that it does where no subcommand is named, and one of each of its
/// subcommands, theirs included. What help leaves out for want of room is there. `topics` are the names of
/// pages in section 7 to refer to.
std::vector<ManualPage> manual_pages(const CLI::App& program, const std::vector<std::string>& topics);

}  // namespace gpubench
