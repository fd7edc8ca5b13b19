#pragma once
// What comparisons read of a row, be it a training case or an operation: all its repetitions on one device
// taken together. Plain data; a thousand files of fifty rows fit into memory.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "gpubench/core/stats/estimate.h"
#include "gpubench/record/ops_record.h"
#include "gpubench/record/row_identity.h"

namespace gpubench {

/// A figure of every repetition of a row that ended well and has it.
struct RoundFigures {
  std::vector<std::int64_t> rounds;  ///< Which repetition each is: those of one number ran in one round.
  std::vector<double> values;

  std::size_t size() const { return values.size(); }
  void add(std::int64_t round, double value) {
    rounds.push_back(round);
    values.push_back(value);
  }
};

/// What is known of the energy of a case, over all repetitions whose energy is of one scope.
struct EnergyFigures {
  std::string scope;   ///< "gpu-board", ...; "published" for a stated power; empty where there is no energy.
  std::string method;  ///< "counter-difference", ...; empty for a publication.
  std::string meter;
  Measured<double> net_joules;  ///< Of an epoch, less idle power times its time; median of the repetitions.
  Measured<double> joules_per_1000_samples;
  Measured<double> mean_watts;
  Measured<double> peak_watts;  ///< The highest of all repetitions.
  Measured<double> idle_watts;
  Measured<double> coverage;        ///< The least of all repetitions.
  Measured<double> period_seconds;  ///< Of the source, the longest.
};

/// Of an operation most of it is absent, or empty.
struct RowFigures {
  RowIdentity identity;

  // How: what must be alike for figures to compare.
  std::string execution_used{};  ///< Empty where it is not known.
  std::string layout_used{};
  std::string optimizer{};
  std::string dataset_digest{};  ///< Of the files' checksums; "synthetic" for made-up data; empty if unknown.
  std::int64_t epochs = 0;
  bool is_last_batch_dropped = false;
  bool has_warnings = false;  ///< Of heat, power or load while it ran.
  std::string parameters{};   ///< Work of the network, as text; empty where it is not known.
  std::string forward_macs{};
  double train_flop = 0;      ///< Of a sample; 0 where it is not known.
  std::string least_timed{};  ///< How long it trains: "60 s" at least,
  std::string stopped_by{};   ///< why no longer,
  std::string warm_up{};      ///< and "yes" or "no" whether it warmed up.
  std::string is_steady{};  ///< "yes", or "no" where epochs of any repetition still became faster or slower.

  // What came of it.
  bool is_ok = false;    ///< At least one repetition ended well.
  std::string status{};  ///< "ok" then; else how the first one ended.
  std::string status_reason{};
  std::int64_t processes = 0;            ///< Repetitions that ended well.
  std::int64_t failures = 0;             ///< Those that did not.
  RoundFigures process_seconds{};        ///< Median steady epoch, or call, of each that ended well.
  RoundFigures process_joules{};         ///< Gross energy of a mean epoch,
  RoundFigures process_joule_seconds{};  ///< and that times the mean epoch.
  Measured<Estimate> seconds{};        ///< Median epoch or call; of the repetitions' medians where repeated.
  Measured<double> startup_seconds{};  ///< T0, see startup(); median of the repetitions.
  Measured<double> process_start_seconds{};  ///< Before T0, see CaseRecord::process_start; median, too.
  Measured<Estimate> epoch_joules{};         ///< Gross energy of a mean epoch; median of the repetitions.
  Measured<double> peak_bytes{};  ///< Most memory of tensors on the device; of the process on a CPU.
  Measured<double> accuracy{};    ///< On the test split; median of the repetitions.
  EnergyFigures energy{};         ///< What else is known of `epoch_joules`.
};

/// Processes a side from which on their scatter tells the interval of a median or of a ratio.
inline constexpr std::size_t kEnoughProcesses = 3;

/// The cases of a run, or the operations of a table, each with all its repetitions, in the order of the first
/// ones.
std::vector<RowFigures> make_rows(const RunRecord& run);
std::vector<RowFigures> make_rows(const OpsRecord& ops);

/// Of a row that is ok: the time of a call, above 0; else why there is none.
Measured<Estimate> usable_time(const OpRecord& row);

}  // namespace gpubench
