#pragma once
// Devices of result files, reduced to what comparisons read, and the rules of docs/comparing.md on them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/parameter.h"
#include "gpubench/record/row_identity.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// The fewest runs of one row that show how far equal runs lie apart.
inline constexpr std::size_t kFewestRuns = 8;

/// How far equal runs of a row lie apart on different days on its kind of machine.
struct SessionNoise {
  double deviation = 0;   ///< Standard deviation of the logarithms of the runs' medians.
  std::int64_t runs = 0;  ///< In which it was found.

  friend bool operator==(const SessionNoise&, const SessionNoise&) = default;
};

/// A figure of every repetition of a row that ended well and has it.
struct RoundFigures {
  std::vector<std::int64_t> rounds;  ///< Number of each repetition; those of one number ran in one round.
  std::vector<double> values;
  std::optional<SessionNoise> noise{};  ///< Of the row's earlier runs, if there are enough.

  std::size_t size() const { return values.size(); }
  void add(std::int64_t round, double value) {
    rounds.push_back(round);
    values.push_back(value);
  }
};

/// Energy of a case over all repetitions whose energy is of one scope.
struct EnergyFigures {
  std::string scope;   ///< "gpu-board", ...; "published" for a stated power; empty without energy.
  std::string method;  ///< "counter-difference", ...; empty for a publication.
  std::string meter;
  Measured<double> net_joules{};  ///< Of an epoch, less idle power times its time; a median as the others.
  Measured<double> joules_per_1000_samples{};
  Measured<double> mean_watts{};
  Measured<double> peak_watts{};  ///< The highest of all repetitions.
  Measured<double> idle_watts{};
};

/// A condition of a measurement: figures of sides that differ in it may not compare.
struct Condition {
  std::string_view name;     ///< "precision", "LibTorch".
  Effects effects;           ///< Of a difference.
  std::string value;         ///< Empty if the file does not state it.
  bool is_choice = false;    ///< Sides in alternation may differ in it on purpose.
  bool is_doubtful = false;  ///< The value is a caveat, even if both sides have it.
  std::string scope{};       ///< Only values of one scope compare, such as drivers of one model of device.
  double amount = 0;         ///< Not 0: values whose amounts differ by at most 1 % are alike.
};
using Conditions = std::vector<Condition>;

/// A condition that differs between two sides, with its effect on each metric.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< On the baseline's side.
  std::string right;
  Effects effect{};
  bool is_choice = false;  ///< Sides in alternation differ in it on purpose.

  Comparability on(Metric metric) const { return effect[static_cast<std::size_t>(metric)]; }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// A training case or an operation: all its repetitions on one device. Operations lack most figures.
struct RowFigures {
  RowIdentity identity;
  Conditions conditions{};
  double flop = 0;  ///< Of a call of an operation; 0 if it has none.

  bool is_ok = false;    ///< At least one repetition ended well.
  std::string status{};  ///< "ok", or how the first repetition ended.
  std::string status_reason{};
  std::int64_t processes = 0;            ///< Repetitions that ended well.
  std::int64_t failures = 0;             ///< Those that did not.
  RoundFigures process_seconds{};        ///< Median steady epoch, or call, of each that ended well.
  RoundFigures process_joules{};         ///< Gross energy of a mean epoch.
  RoundFigures process_joule_seconds{};  ///< Energy times the mean epoch.
  Measured<Estimate> seconds{};        ///< Median epoch or call; of the repetitions' medians where repeated.
  Measured<double> startup_seconds{};  ///< T0, see startup(); median of the repetitions.
  Measured<Estimate> epoch_joules{};   ///< Gross energy of a mean epoch; median of the repetitions.
  Measured<double> peak_bytes{};       ///< Of the device's memory, on a CPU of the process's; likewise.
  EnergyFigures energy{};              ///< Details of `epoch_joules`.
};

/// One device of one file: of a run, or of a table of operations.
struct Candidate {
  std::string label;  ///< Unique among those compared: "A", "B"; empty until it is among others.
  std::string name;   ///< Likewise, for people: "laptop", "cuda:0", "two-threads".
  std::string file;   ///< As given; without its folder.
  std::string host;
  DeviceRecord device;
  std::optional<PublishedRecord> published;  ///< Set for figures that gpubench did not measure.
  Conditions conditions{};
  bool is_of_history = false;  ///< Each value of a row is the median of one of this machine's earlier runs.
  std::int64_t threads = 0;
  std::string started_at;   ///< UTC, of the run.
  std::string alternation;  ///< In which its rounds were measured; empty without one.
  std::string side;         ///< Of the alternation: "A", "B".
  std::string distinction;  ///< From others: "precision fp32", "side A", or its file; may be empty.
  std::string first_start;  ///< Start of its first row; of operations of the table. Empty if unknown.
  std::string last_start;   ///< Start of its last row; of operations the end of the table.
  std::optional<double> equality_margin;   ///< Within which sides are equal; none: see compute_margin().
  std::optional<double> price_per_hour{};  ///< In any currency.
  std::vector<RowFigures> rows;            ///< In the order of the file.
  std::vector<ScalingRow> scaling{};       ///< Gains of several ranks.
};

/// Points into the candidates.
struct CandidateRow {
  const Candidate* candidate = nullptr;
  const RowFigures* figures = nullptr;
};

std::vector<CandidateRow> make_rows(const std::vector<Candidate>& candidates);

/// Returns the cases of a run, or the operations of a table, with all repetitions, in order of the first.
std::vector<RowFigures> make_rows(const RunRecord& run);

/// Returns the time of a call of a row that is ok, above 0.
Measured<Estimate> usable_time(const OpRecord& row);

/// The devices that have rows, in the order of the first ones. `file` is the name to show.
std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file);

/// Returns the value of a condition of a row or a candidate; empty if it is unknown.
template <class Side>
std::string find_condition(const Side& side, std::string_view name) {
  const auto found = std::ranges::find(side.conditions, name, &Condition::name);
  return found == side.conditions.end() ? "" : found->value;
}

/// Sets short names that differ: host, device, both, or file, else the labels; and distinctions.
void name_candidates(std::vector<Candidate>& all);

/// Sets the price of candidates with this label, name, file, host or device. Throws a usage Error if unknown.
void set_price(std::vector<Candidate>& all, const std::string& name, double per_hour);

template <class Record>
std::vector<std::string> list_devices(const std::vector<Record>& rows) {
  std::vector<std::string> devices;
  for (const Record& row : rows) add_once(devices, row.device);
  return devices;
}

/// Returns whether its device is a CPU. Publications have device names of their own: one with the word "CPU".
bool is_cpu(const Candidate& candidate);

bool is_of_same_file(const Candidate& left, const Candidate& right);

/// Returns whether they are sides measured in alternation: each round of one goes with that of the other.
bool are_in_alternation(const Candidate& left, const Candidate& right);

/// How two sides were measured, which decides which changes of a machine both have seen.
enum class Measuring {
  kAlternation,  ///< Round by round: see are_in_alternation().
  kMixed,        ///< At the same time: in one file, or on one host with times that overlap or are unknown.
  kApart,        ///< On one host one after the other, or on two hosts.
  kHistory,      ///< One side is this machine's earlier runs, the other a later one.
};
Measuring find_measuring(const Candidate& left, const Candidate& right);

std::size_t count_of_good(const Candidate& candidate);

/// The identities of all rows without their devices, for short names.
std::vector<RowIdentity> make_identities(const std::vector<Candidate>& candidates);

/// "B (laptop, mps (Apple M2 Max), precision amp-bf16)", with the distinction from others.
std::string named(const Candidate& candidate);

std::string to_string(Metric metric);

std::string to_string(Comparability comparability);

/// Stands for gpubench's version in documents of another program's measurements.
inline constexpr const char* kAnotherProgram = "another program";

/// Differences between the machines' set-ups. Choices of sides in alternation have no effect.
std::vector<Difference> differences(const Candidate& left, const Candidate& right);

/// Adds those without an effect, such as other names of hosts; without the order of measuring.
std::vector<Difference> all_differences(const Candidate& left, const Candidate& right);

/// Differences between rows. Choices have no effect if the sides `may_choose`.
std::vector<Difference> differences(const RowFigures& left, const RowFigures& right, bool may_choose = false);

/// Returns the worst effect of any of `differences` on the metric.
Comparability comparability_on(Metric metric, const std::vector<Difference>& differences);

/// Returns what rows must share: the identity without its modes and its device.
RowIdentity to_work(const RowIdentity& identity);

}  // namespace gpubench
