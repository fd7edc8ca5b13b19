#pragma once
// The sides of `gpubench ab` as its command line names them, the words that run each, and one run of a side.

#include <optional>
#include <string>
#include <vector>

#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"

namespace gpubench {

/// Between the words of one side and those of the next.
inline constexpr const char* kNextSide = "--vs";

/// An option that a command line names.
struct NamedOption {
  std::string name;                 ///< Its longest one: "--output".
  std::vector<std::string> values;  ///< None for a flag; several where there are commas between them.

  friend bool operator==(const NamedOption&, const NamedOption&) = default;
};
using NamedOptions = std::vector<NamedOption>;

/// Words that say the same: "--batch=32,128", "--profile".
std::vector<std::string> format_words(const NamedOptions& options);

/// Whether the option is not of one side but of all.
bool is_of_all_sides(const std::string& option);

/// What is measured in turns with others.
struct Side {
  std::string name;       ///< "A", "B", as comparisons call them.
  NamedOptions training;  ///< What gpubench is asked for; of a command what its row is said to be of.
  std::string program{};  ///< Another gpubench; empty: this one.
  std::string torch{};    ///< Folder of another LibTorch; empty: the one that the program was built with.
  std::string with{};     ///< Words before the command, as a shell reads them.
  std::string command{};  ///< What is run instead of gpubench, as a shell reads it.
  std::string figure{};   ///< JSON pointer to samples a second in what it prints; empty: the usual ones.
  std::string seconds{};  ///< To the time of an epoch instead, or "wall".

  /// Whether its output is read for a figure, rather than as a document of gpubench.
  bool is_peer() const { return !command.empty() || !figure.empty() || !seconds.empty(); }
};

/// The sides of a command line that kNextSide divides into `parts`: each has the options of the first one,
/// and its own in the place of these. Options of the whole comparison may be in any part, and belong to no
/// side. Throws a usage Error for what no side can be asked for, and for options that exclude each other.
std::vector<Side> make_sides(const std::vector<NamedOptions>& parts);

/// The last of the values that `options` have for the option; `otherwise` where it is not named.
std::string value_in(const NamedOptions& options, const std::string& name, const std::string& otherwise);

/// The words of a run of the side; `own_program` is the file of this one. Where the process that starts them
/// ends, the run does as well: standard input, which has to be a pipe from it, tells.
std::vector<std::string> make_command(const Side& side, const std::string& own_program);

/// The command of the side as a person would type it.
std::string shown_command(const Side& side, const std::string& own_program);

/// How a run ended.
struct ProcessEnd {
  std::string printed;  ///< To stdout.
  ChildEnd end;
  bool is_timeout = false;      ///< Ended for it.
  bool is_interrupted = false;  ///< Ended by the user, at the second interrupt.
};

/// Runs `words` and waits for the end, which comes at `timeout` at the latest. Throws an internal Error where
/// no process can be started.
ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts);

}  // namespace gpubench
