#pragma once
// Devices of result files with the figures that comparisons need, and the rules of docs/comparing.md.

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

/// Fewest runs of a row from which the variation between runs is estimated.
inline constexpr std::size_t kFewestRuns = 8;

/// Variation between equal runs of a row, on different days on one kind of machine.
struct SessionNoise {
  double deviation = 0;   ///< Standard deviation of the logarithms of the runs' medians.
  std::int64_t runs = 0;  ///< Number of these runs.

  friend bool operator==(const SessionNoise&, const SessionNoise&) = default;
};

/// Values of one figure, one per repeat that is ok and has the figure.
struct RoundFigures {
  std::vector<std::int64_t> rounds;     ///< Number of each repeat. Repeats of equal number ran in one round.
  std::vector<double> values;           ///< Value of each repeat.
  std::optional<SessionNoise> noise{};  ///< Noise of the row's earlier runs, if there are enough.

  std::size_t size() const { return values.size(); }
  void add(std::int64_t round, double value) {
    rounds.push_back(round);
    values.push_back(value);
  }
};

/// Energy of a case, as medians over the repeats with the same scope.
struct EnergyFigures {
  std::string scope;   ///< "gpu-board", ...; "published" for a stated power; empty without energy.
  std::string method;  ///< "counter-difference", ...; empty for a publication.
  std::string meter;
  Measured<double> net_joules{};  ///< Energy of an epoch above idle.
  Measured<double> joules_per_1000_samples{};
  Measured<double> mean_watts{};
  Measured<double> peak_watts{};  ///< Highest peak of all repeats.
  Measured<double> idle_watts{};
};

/// Condition of a measurement. A difference may make figures of two sides incomparable.
struct Condition {
  std::string_view name;     ///< "precision", "LibTorch".
  Effects effects;           ///< Effects of a difference.
  std::string value;         ///< Empty if the file does not state it.
  bool is_choice = false;    ///< Sides in interleaved runs may differ intentionally.
  bool is_doubtful = false;  ///< The value is a caveat even if both sides have it.
  std::string scope{};  ///< Only values of equal scope are compared, such as drivers of one device model.
  double amount = 0;    ///< Numeric value: differences up to 1 % are ignored; 0 for none.
};
using Conditions = std::vector<Condition>;

/// Difference in a condition, with its effect on each metric.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< Value of the baseline.
  std::string right;
  Effects effect{};
  bool is_choice = false;  ///< Intentional difference of sides in interleaved runs.

  Comparability on(Metric metric) const { return effect[static_cast<std::size_t>(metric)]; }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// A training case or an operation with all repeats on one device. Operations lack most figures.
struct RowFigures {
  RowIdentity identity;
  Conditions conditions{};
  double flop = 0;  ///< FLOP per call of an operation; 0 if unknown.

  bool is_ok = false;    ///< At least one repeat is ok.
  std::string status{};  ///< "ok", or the status of the first repeat.
  std::string status_reason{};
  std::int64_t processes = 0;            ///< Number of repeats that are ok.
  std::int64_t failures = 0;             ///< Number of other repeats.
  RoundFigures process_seconds{};        ///< Median epoch after the warm-up, or median call.
  RoundFigures process_joules{};         ///< Gross energy of a mean epoch.
  RoundFigures process_joule_seconds{};  ///< Gross energy times duration of a mean epoch.
  Measured<Estimate> seconds{};          ///< Median of process_seconds.
  Measured<double> startup_seconds{};    ///< Median start-up time of the repeats, see startup().
  Measured<Estimate> epoch_joules{};     ///< Median of process_joules.
  Measured<double> peak_bytes{};         ///< Median peak memory: of the process on a CPU, else of the device.
  EnergyFigures energy{};                ///< Details of `epoch_joules`.
};

/// One device of a result file.
struct Candidate {
  std::string label;  ///< Unique in the comparison: "A", "B"; set by compare().
  std::string name;   ///< Readable and unique in the comparison: "laptop", "cuda:0"; see name_candidates().
  std::string file;   ///< File name without folder.
  std::string host;
  DeviceRecord device;
  std::optional<PublishedRecord> published;  ///< Set for figures that gpubench did not measure.
  Conditions conditions{};
  bool is_of_history = false;  ///< The values of a row are medians of this machine's earlier runs.
  std::int64_t threads = 0;
  std::string started_at;                 ///< Start of the run, UTC.
  std::string interleaved_run;            ///< Identifier of the interleaved run; empty without one.
  std::string variant;                    ///< Variant of the interleaved run: "A", "B".
  std::string distinction;                ///< Difference from others: "precision fp32", "variant A", a file.
  std::string first_start;                ///< Start of the first row, or of the run for operations.
  std::string last_start;                 ///< Start of the last row, or end of the run for operations.
  std::optional<double> equality_margin;  ///< Margin of equality if the user chose one, see compute_margin().
  std::optional<double> price_per_hour{};  ///< Price in any currency.
  std::vector<RowFigures> rows;            ///< Rows in the order of the file.
  std::vector<ScalingRow> scaling{};       ///< Scaling with the world size.
};

/// A row and its candidate. Points into the candidates.
struct CandidateRow {
  const Candidate* candidate = nullptr;
  const RowFigures* figures = nullptr;
};

std::vector<CandidateRow> make_rows(const std::vector<Candidate>& candidates);

/// Returns the cases or operations of a run, each with all repeats, in order of the first repeat.
std::vector<RowFigures> make_rows(const RunRecord& run);

/// Returns the time per call if the row is ok and the time is above 0.
Measured<Estimate> usable_time(const OpRecord& row);

/// Returns the devices that have rows, in order of their first rows. `file` is the name to show.
std::vector<Candidate> make_candidates(const RunRecord& run, const std::string& file);

/// Returns the value of a condition of a row or a candidate; empty if it is unknown.
template <class Side>
std::string find_condition(const Side& side, std::string_view name) {
  const auto found = std::ranges::find(side.conditions, name, &Condition::name);
  return found == side.conditions.end() ? "" : found->value;
}

/// Sets distinctions and short, unique names: host, device, both, or file, else the labels.
void name_candidates(std::vector<Candidate>& all);

/// Sets the price of candidates with this label, name, file, host or device. Throws a usage Error if unknown.
void set_price(std::vector<Candidate>& all, const std::string& name, double per_hour);

template <class Record>
std::vector<std::string> list_devices(const std::vector<Record>& rows) {
  std::vector<std::string> devices;
  for (const Record& row : rows) add_once(devices, row.device);
  return devices;
}

/// Returns true if the device is a CPU. A device of a publication is a CPU if its name contains the word.
bool is_cpu(const Candidate& candidate);

bool is_same_file(const Candidate& left, const Candidate& right);

/// Returns true for two sides of one interleaved run, whose rounds are paired.
bool are_interleaved(const Candidate& left, const Candidate& right);

/// When two sides were measured. Decides which changes of a machine affect both.
enum class Measuring {
  kInterleaved,  ///< Round by round, see are_interleaved().
  kMixed,        ///< At the same time: in one file, or on one host with times that overlap or are unknown.
  kApart,        ///< In sequence on one host, or on two hosts.
  kHistory,      ///< One side is the machine's earlier runs, the other a later run.
};
Measuring find_measuring(const Candidate& left, const Candidate& right);

std::size_t count_ok_rows(const Candidate& candidate);

/// Returns the identities of all rows without their devices, for short names.
std::vector<RowIdentity> make_identities(const std::vector<Candidate>& candidates);

/// Formats "B (laptop, mps (Apple M2 Max), precision amp-bf16)", with the distinction from others.
std::string named(const Candidate& candidate);

std::string to_string(Metric metric);

std::string to_string(Comparability comparability);

/// Version in documents with measurements of another program.
inline constexpr const char* kAnotherProgram = "another program";

/// Returns the differences between machines and set-ups. Choices of sides in interleaved runs have no effect.
std::vector<Difference> differences(const Candidate& left, const Candidate& right);

/// Returns all differences, also those without effect such as host names, but not the order of measuring.
std::vector<Difference> all_differences(const Candidate& left, const Candidate& right);

/// Returns the differences between rows. Choices have no effect if the sides `may_choose`.
std::vector<Difference> differences(const RowFigures& left, const RowFigures& right, bool may_choose = false);

/// Returns the worst effect of any of `differences` on the metric.
Comparability comparability_on(Metric metric, const std::vector<Difference>& differences);

/// Returns the identity without modes and device. Rows with equal work are compared.
RowIdentity to_work(const RowIdentity& identity);

}  // namespace gpubench
