#pragma once
// Measures sides in turns, round by round, until it is known which is faster.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ab/sides.h"
#include "app/files/result_file.h"
#include "compare/comparison.h"
#include "gpubench/core/stats/bootstrap.h"

namespace gpubench {

enum class StoppingDecision {
  kOpen,     ///< Further rounds may decide.
  kDecided,  ///< For every pair of rows with a ratio it is known which is faster, or that they are equal.
  kIncomparable,  ///< No pair of rows compares, whatever is measured.
};

/// With a threshold for gate(), it is decided once the gate knows its answer.
StoppingDecision decide_stopping(const Comparison& comparison, const std::optional<double>& gate);

struct InterleavedRunSettings {
  std::int64_t rounds = 60;                 ///< Maximum; see ratio_of_rounds().
  std::int64_t min_rounds = kFewestRounds;  ///< Minimum.
  std::optional<Seconds> budget{};          ///< No round but the first begins that would end later.
  std::int64_t order_seed = 0;              ///< Of the order of sides in each round.
  std::optional<double> equality_margin{};  ///< Of compare().
  std::optional<double> gate{};             ///< Threshold; the run goes on until the gate has its answer.
  bool is_forced = false;                   ///< Compares figures of unlike work too.
  bool is_quiet = false;
};

/// A run that is to be made.
struct Trial {
  std::int64_t round = 0;
  std::size_t side = 0;

  friend bool operator==(const Trial&, const Trial&) = default;
};

/// Returns the trials of all rounds: each round has every side once, in random order. The first rounds do not
/// depend on the number of rounds.
std::vector<Trial> make_trials(std::size_t sides, std::int64_t rounds, std::int64_t seed);

/// How an interleaved run ended.
struct InterleavedRunEnd {
  std::string why;  ///< "verdict after 9 rounds".
  bool is_interrupted = false;
};

/// Measures sides in turns. The documents are its journal: they are written after each trial, and what they
/// have is not run again.
class InterleavedRun {
 public:
  /// `files` has one for each log.
  InterleavedRun(std::vector<SideLog> logs, std::vector<ResultFile> files,
                 const InterleavedRunSettings& settings);

  /// Runs what is missing. An interrupt ends it after the present trial. Throws a usage Error if a side
  /// refuses its command line, or nothing compares.
  InterleavedRunEnd run(Interrupts& interrupts);

  /// Writes the final documents. Throws a usage Error if they cannot be written.
  void finish(const InterleavedRunEnd& end);

  Comparison comparison() const;
  /// Whether a row is not ok.
  bool has_failures() const;

 private:
  std::optional<InterleavedRunEnd> reason_to_end(std::int64_t round) const;
  std::optional<InterleavedRunEnd> take(const Trial& trial, Interrupts& interrupts);
  std::vector<RunRecord> documents(bool is_final) const;

  std::vector<SideLog> logs_;
  std::vector<ResultFile> files_;
  InterleavedRunSettings settings_;
  std::vector<std::size_t> failures_;  // Of each side, in a row.
};

}  // namespace gpubench
