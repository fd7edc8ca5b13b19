#pragma once
// The sides of `gpubench ab`: their options, their commands, and one run of a side.

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

/// Returns the words of the options: "--batch=32,128", "--profile".
std::vector<std::string> format_words(const NamedOptions& options);

/// Whether the option belongs to the whole comparison.
bool is_of_all_sides(const std::string& option);

/// One of the programs that are measured in turns.
struct Side {
  std::string name;       ///< "A", "B", as comparisons call them.
  NamedOptions training;  ///< Options of gpubench; for a command, of its row.
  std::string program{};  ///< Another gpubench; empty: this one.
  std::string torch{};    ///< Folder of another LibTorch; empty: the one that the program was built with.
  std::string with{};     ///< Words before the command, as a shell reads them.
  std::string command{};  ///< Run instead of gpubench, as a shell reads it.
  std::string figure{};   ///< JSON pointer to samples a second in what it prints; empty: the usual ones.
  std::string seconds{};  ///< To the time of an epoch instead, or "wall".

  /// Whether its output is read for a figure, rather than as a document of gpubench.
  bool is_peer() const { return !command.empty() || !figure.empty() || !seconds.empty(); }
};

/// Returns the sides of a command line that kNextSide divides into `parts`: each has the options of the first
/// one, replaced by its own. Options of the whole comparison may be in any part. Throws a usage Error for
/// options that no side can have, and for options that exclude each other.
std::vector<Side> make_sides(const std::vector<NamedOptions>& parts);

/// Returns the last value of an option; `otherwise` if it is not named.
std::string value_in(const NamedOptions& options, const std::string& name, const std::string& otherwise);

/// Returns the words of a run of the side; `own_program` is the file of this program. The run ends with the
/// process that starts it, if its standard input is a pipe from that.
std::vector<std::string> make_command(const Side& side, const std::string& own_program);

/// Returns the command of the side as a person would type it.
std::string shown_command(const Side& side, const std::string& own_program);

/// How a run ended.
struct ProcessEnd {
  std::string printed;  ///< To stdout.
  ChildEnd end;
  bool is_timeout = false;
  bool is_interrupted = false;  ///< Ended by the user, at the second interrupt.
};

/// Runs `words` until they end, or until `timeout`. Throws an internal Error if no process can be started.
ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts);

}  // namespace gpubench
