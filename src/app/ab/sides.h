#pragma once
// Sides of `gpubench ab`, measured in turns until it is known which is faster.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/comparison.h"
#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "gpubench/core/units.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Between the words of one side and those of the next.
inline constexpr const char* kNextSide = "--vs";

struct NamedOption {
  std::string name;                 ///< Its longest one: "--output".
  std::vector<std::string> values;  ///< None for a flag; several where there are commas between them.

  friend bool operator==(const NamedOption&, const NamedOption&) = default;
};
using NamedOptions = std::vector<NamedOption>;

/// Returns the words of the options: "--batch=32,128", "--profile".
std::vector<std::string> format_words(const NamedOptions& options);

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

  /// Returns true if its output is read for a figure, rather than as a document of gpubench.
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

/// Returns the command of the side for people, without the quotes that a shell may want.
std::string shown_command(const Side& side, const std::string& own_program);

struct ProcessEnd {
  std::string printed;  ///< To stdout.
  ChildEnd end;
  bool is_timeout = false;
  bool is_interrupted = false;  ///< Ended by the user, at the second interrupt.
};

/// Runs `words` until they end, or until `timeout`. Throws an internal Error if no process can be started.
ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts);

/// Returns the row of another program, without what it was asked for, from its output: all of it if it is one
/// JSON value, else the last line that is a JSON object. Side::figure or Side::seconds point to the figure
/// (RFC 6901); without either it is the first of `samples_per_second`, `images_per_s` (rates) and
/// `epoch_seconds` (a list). A rate gives an epoch of one sample. `wall` is the time of the whole process.
/// Throws a data Error for a missing figure.
CaseRecord peer_row(std::string_view printed, const Side& side, Seconds wall);

struct SideLog {
  Side side;
  /// With the rows so far. Those of other programs and of failures lack a model until make_documents().
  RunRecord document{};

  bool has_run_in(std::int64_t round) const;
};

/// Adds the rows of a run that ended. Throws a usage Error if gpubench refuses the command line of the side.
void add_run(SideLog& log, std::int64_t round, const std::string& started_at, const ProcessEnd& run);

/// Returns the document of each side. Rows of another program are about what gpubench was asked for on that
/// side, else on the first one with a row; if only other programs run, what the options say. Until gpubench
/// has a row, a document that `is_final` has the latter, and another one no rows. Throws a usage Error if the
/// figure of another program would stand beside several rows.
std::vector<RunRecord> make_documents(const std::vector<SideLog>& all, bool is_final);

/// Returns true if for every pair of rows with a ratio it is known which is faster, or that they are equal;
/// with a threshold for gate(), if the gate knows its answer. Throws a usage Error if no pair of rows
/// compares, whatever is measured.
bool is_decided(const Comparison& comparison, const std::optional<double>& gate);

/// Returns the sides in the order of each round, which is random. How many rounds there are does not change
/// it.
std::vector<std::vector<std::size_t>> make_orders(std::size_t sides, std::int64_t rounds, std::int64_t seed);

}  // namespace gpubench
