#pragma once
// Variants of `gpubench ab`, measured in interleaved rounds until the verdict is clear.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/gate.h"
#include "engine/execution/executor.h"
#include "engine/isolation/child_process.h"
#include "gpubench/core/units.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Separates the options of two variants on the command line.
inline constexpr const char* kNextVariant = "--vs";

struct NamedOption {
  std::string name;                 ///< Longest name: "--output".
  std::vector<std::string> values;  ///< Empty for a flag; several for a comma-separated list.

  friend bool operator==(const NamedOption&, const NamedOption&) = default;
};
using NamedOptions = std::vector<NamedOption>;

/// Returns the options as command-line words: "--batch=32,128", "--profile".
std::vector<std::string> format_words(const NamedOptions& options);

bool applies_to_all_variants(const std::string& option);

/// One of the configurations that `gpubench ab` compares.
struct Variant {
  std::string name;       ///< "A", "B", ...
  NamedOptions training;  ///< Options of gpubench; for a command they describe its row.
  std::string program{};  ///< Another gpubench; empty: this one.
  std::string torch{};    ///< Folder of another LibTorch; empty: the one that the program was built with.
  std::string wrapper{};  ///< Shell words that precede the command, such as "nice".
  std::string command{};  ///< Shell command to run instead of gpubench.
  std::string
      figure{};  ///< JSON pointer to samples per second in the output; empty: see read_external_row().
  std::string seconds{};  ///< JSON pointer to the epoch time in the output, or "wall".

  /// Returns true if the output is read for one figure, rather than as a document of gpubench.
  bool is_external() const { return !command.empty() || !figure.empty() || !seconds.empty(); }
};

/// Returns the variants of a command line that kNextVariant divides into `parts`. Each inherits the options
/// of the first part and overrides them by its own. Options of the whole comparison may be in any part.
/// Throws a usage Error for options that `ab` does not support, and for options that exclude each other.
std::vector<Variant> make_variants(const std::vector<NamedOptions>& parts);

/// Returns the last value of an option; `otherwise` if it is not given.
std::string value_in(const NamedOptions& options, const std::string& name, const std::string& otherwise);

/// Returns the command that runs the variant; `own_program` is the file of this program. If its standard
/// input is a pipe, the command ends when the other end closes.
std::vector<std::string> make_command(const Variant& variant, const std::string& own_program);

/// Returns the command of the variant for display, without shell quotes.
std::string shown_command(const Variant& variant, const std::string& own_program);

struct ProcessEnd {
  std::string printed;  ///< Content of stdout.
  ChildEnd end;
  bool is_timeout = false;
  bool is_interrupted = false;  ///< Killed at the user's second interrupt.
};

/// Runs the command `words` and kills it at `timeout`. Throws an internal Error if no process can be started.
ProcessEnd run_command(const std::vector<std::string>& words, std::optional<Seconds> timeout,
                       Interrupts& interrupts);

/// Returns the row of another program, without parameters, from its output: the whole output if it is a JSON
/// value, else the last line that is a JSON object. Variant::figure or Variant::seconds point to the figure
/// (RFC 6901); without either it is the first of `samples_per_second`, `images_per_s` (rates) and
/// `epoch_seconds` (a list). A rate becomes an epoch of one sample. `wall` is the time of the whole process.
/// Throws a data Error for a missing figure.
CaseRecord read_external_row(std::string_view printed, const Variant& variant, Seconds wall);

/// Rows of a variant so far.
struct VariantLog {
  Variant variant;
  /// Rows of other programs and of failed runs have no model until make_documents().
  RunRecord document{};

  bool has_run_in(std::int64_t round) const;
};

/// Adds the rows of a finished run. Throws a usage Error if gpubench refuses the command line of the variant.
void add_run(VariantLog& log, std::int64_t round, const std::string& started_at, const ProcessEnd& run);

/// Returns the document of each variant. Rows of another program get their parameters from gpubench's row: of
/// the same variant, else of the first variant with one. If no variant runs gpubench, or if `is_final`, they
/// come from the options. Rows without known parameters are omitted. Throws a usage Error if a figure would
/// describe several rows.
std::vector<RunRecord> make_documents(const std::vector<VariantLog>& all, bool is_final);

/// Returns true if every pair of rows with a ratio has a verdict, or with limits if gate() is conclusive.
/// Throws a usage Error if no pair of rows can be compared.
bool is_decided(const Comparison& comparison, const std::vector<GateLimit>& limits);

/// Returns the random order of the variants in each round. It does not depend on the number of rounds.
std::vector<std::vector<std::size_t>> make_orders(std::size_t variants, std::int64_t rounds,
                                                  std::int64_t seed);

}  // namespace gpubench
