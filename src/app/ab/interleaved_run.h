#pragma once
// Measures sides in turns, round by round, until it is known which is faster.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/ab/side_log.h"
#include "app/files/result_file.h"
#include "compare/comparison.h"
#include "gpubench/core/stats/rounds.h"

namespace gpubench {

enum class StoppingDecision {
  kOpen,     ///< Further rounds may tell.
  kDecided,  ///< Of every pair of rows that has a ratio it is known which is faster, or that they are equal.
  kIncomparable,  ///< No pair of rows compares, whatever is measured.
};

/// With a threshold for gate() it is decided where the gate knows its answer.
StoppingDecision decide_stopping(const Comparison& comparison, const std::optional<double>& gate);

/// Why no pair compares; empty where one does.
std::string find_obstacle(const Comparison& comparison);

/// "B 1.10 times as fast as A (1.05 to 1.15)", for each versus.
std::string ratios_text(const Comparison& comparison);

struct InterleavedRunSettings {
  std::int64_t rounds = 60;                 ///< At most; see ratio_of_rounds().
  std::int64_t min_rounds = kFewestRounds;  ///< None before it stops it.
  std::optional<Seconds> budget{};  ///< A round that would take longer is not begun, but for the first.
  std::int64_t order_seed = 0;      ///< Of the order of sides in each round.
  std::optional<double> equality_margin{};  ///< Of compare().
  std::optional<double> gate{};             ///< The threshold; then it goes on until the gate has its answer.
  bool is_forced = false;                   ///< Figures of unlike work are compared too.
  bool is_quiet = false;
};

/// A run that is to be made.
struct Trial {
  std::int64_t round = 0;
  std::size_t side = 0;

  friend bool operator==(const Trial&, const Trial&) = default;
};

/// The trials of so many rounds: each has every side once, in an order that is drawn afresh, so that no side
/// is the first more often than by chance. Those of the first rounds do not depend on how many follow.
std::vector<Trial> make_trials(std::size_t sides, std::int64_t rounds, std::int64_t seed);

/// How it ended.
struct InterleavedRunEnd {
  std::string why;  ///< "verdict after 9 rounds".
  bool is_interrupted = false;
};

/// The documents are its journal: they are written after each run, and what they have is not run again.
class InterleavedRun {
 public:
  /// `files` has one for each log.
  InterleavedRun(std::vector<SideLog> logs, std::vector<ResultFile> files,
                 const InterleavedRunSettings& settings);

  /// Runs what is missing. After an interrupt it ends with the run that is under way. Throws a usage Error
  /// where a side cannot be run as it is asked for, or nothing compares.
  InterleavedRunEnd run(Interrupts& interrupts);

  /// The documents as they stay. Throws a usage Error where they cannot be written.
  void finish(const InterleavedRunEnd& end);

  Comparison comparison() const;
  /// Whether a row is not what was asked for.
  bool has_failures() const;

 private:
  using Write = void (ResultFile::*)(const std::string& document) const;

  std::optional<InterleavedRunEnd> reason_to_end(std::int64_t round) const;
  std::optional<InterleavedRunEnd> take(const Trial& trial, Interrupts& interrupts);
  void tell(const SideLog& log) const;
  void tell_round(std::int64_t round) const;
  void write(bool is_final, Write how) const;
  std::vector<RunRecord> documents(bool is_final) const;

  std::vector<SideLog> logs_;
  std::vector<ResultFile> files_;
  InterleavedRunSettings settings_;
  std::vector<std::size_t> failures_;  // Of each side, in a row.
};

}  // namespace gpubench
