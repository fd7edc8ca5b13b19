#pragma once
// Devices of result files with the metrics and conditions that comparisons need. docs/comparing.md has the
// rules.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/stats/stats.h"
#include "gpubench/record/derived.h"
#include "gpubench/record/field_table.h"
#include "gpubench/record/names.h"
#include "gpubench/record/parameter.h"
#include "gpubench/record/row_identity.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

/// Fewest runs from which the variation between runs is estimated, and fewest days on which they started.
inline constexpr std::size_t kFewestRuns = 8;
inline constexpr std::size_t kFewestDays = 3;

/// Condition of a measurement. A difference may make values of two candidates incomparable.
struct Condition {
  std::string_view name;     ///< "precision", "LibTorch".
  Effects effects;           ///< Effects of a difference.
  std::string value;         ///< Empty if the file does not state it.
  bool is_choice = false;    ///< Variants of an interleaved run may differ in it intentionally.
  bool is_doubtful = false;  ///< The value is a caution even if both candidates have it.
  std::string scope{};  ///< Only values of equal scope are compared, such as drivers of one device model.
  double amount = 0;    ///< Numeric value: differences up to 1 % are ignored; 0 for none.
  /// Part of what is measured rather than of its circumstances: a gate refuses a difference, and each value
  /// has its own series.
  bool is_setting = false;
};
using Conditions = std::vector<Condition>;

/// Difference in a condition, with its effect on each class of metrics.
struct Difference {
  std::string what;  ///< "precision", "LibTorch".
  std::string left;  ///< Value of the baseline.
  std::string right;
  Effects effect{};
  bool is_choice = false;   ///< Intentional difference of variants in an interleaved run.
  bool is_setting = false;  ///< See Condition.

  Comparability on(MetricClass metric_class) const { return effect_on(metric_class, effect); }

  friend bool operator==(const Difference&, const Difference&) = default;
};

/// Name of the condition of files whose checksum does not match their content.
inline constexpr std::string_view kChangedFile = "changed file";

/// Compares conditions by position: both sides have the list of their kind of row, or of candidates. Choices
/// have no effect if they are allowed.
std::vector<Difference> compare_conditions(const Conditions& left, const Conditions& right,
                                           bool allows_choices = false);

/// Returns the value of a condition of a row or a candidate; empty if it is unknown.
template <class Owner>
std::string find_condition(const Owner& owner, std::string_view name) {
  const auto found = std::ranges::find(owner.conditions, name, &Condition::name);
  return found == owner.conditions.end() ? "" : found->value;
}

/// Returns the option value that names a setting: "thread-count".
std::string setting_name(std::string_view condition);

inline constexpr std::array kMetricClassNames{"time", "start-up", "memory", "quality", "energy", "latency"};
constexpr EnumNames<MetricClass> enum_names(MetricClass) { return {"class", kMetricClassNames}; }

inline constexpr std::array kComparabilityNames{"comparable", "caution", "refused"};
constexpr EnumNames<Comparability> enum_names(Comparability) { return {"effect", kComparabilityNames}; }

/// A metric: a derived field of cases or operations with MetricUse. Identified by its address.
using Metric = FieldFacts;

/// Returns all metrics, in the order of the field tables: of cases, then of operations.
const std::vector<const Metric*>& all_metrics();

/// Returns the metrics with a MetricUse::main_rank, in its order.
const std::vector<const Metric*>& main_metrics();

/// Returns the metric with this key. Throws a usage Error that names `option` and the nearest known one.
const Metric& find_metric(const std::string& key, const std::string& option);

/// Returns the metrics with this key or class ("latency"). Throws like find_metric().
std::vector<const Metric*> find_metrics(const std::string& word, const std::string& option);

/// Variation between equal runs of a row, on different days on one machine.
struct RunNoise {
  double deviation = 0;   ///< Standard deviation of the logarithms of the runs' medians.
  std::int64_t runs = 0;  ///< Number of these runs.
};

/// Values of one metric of a row, one per repeat that is ok and has the metric.
struct MetricSamples {
  const Metric* metric = nullptr;
  std::vector<std::int64_t> rounds{};  ///< Number of each repeat. Repeats of equal number ran in one round.
  std::vector<double> costs{};         ///< Value of each repeat; its reciprocal if higher is better.
  Measured<Estimate> estimate{};       ///< Median with its interval, in the unit of the metric.
  Measured<RunNoise> noise = missing("no earlier runs");  ///< Set for a baseline of earlier runs.

  std::size_t size() const { return costs.size(); }
};

/// Details of the energy of a case, as medians over the repeats with the same scope.
struct EnergyDetails {
  std::string scope;   ///< "gpu-board", ...; "published" for a stated power; empty without energy.
  std::string method;  ///< "counter-difference", ...; empty for a publication.
  std::string meter;
  Measured<double> net_joules{};  ///< Energy of an epoch above idle.
  Measured<double> mean_watts{};
  Measured<double> peak_watts{};  ///< Highest peak of all repeats.
  Measured<double> idle_watts{};
};

/// A training case or an operation with all repeats on one device.
struct ComparedRow {
  RowIdentity identity;
  Conditions conditions{};
  double flop = 0;        ///< FLOP per call of an operation; 0 if unknown.
  std::string command{};  ///< Measures the same row here; see make_command().

  bool is_ok = false;    ///< At least one repeat is ok.
  std::string status{};  ///< "ok", or the status of the first repeat.
  std::string status_reason{};
  std::int64_t processes = 0;            ///< Number of repeats that are ok.
  std::int64_t failures = 0;             ///< Number of other repeats.
  std::vector<MetricSamples> metrics{};  ///< One for each metric of the row's kind.
  EnergyDetails energy{};

  /// Returns the samples of a metric; null if the row's kind lacks it.
  const MetricSamples* find(const Metric& metric) const { return find(metric.key); }
  const MetricSamples* find(std::string_view key) const;
  /// Returns the estimate of a metric; missing if the row's kind lacks it.
  Measured<Estimate> estimate(const Metric& metric) const { return estimate(metric.key); }
  Measured<Estimate> estimate(std::string_view key) const;
};

/// Returns the median epoch or call of a row.
Measured<Estimate> typical_seconds(const ComparedRow& row);

/// Returns the first metric by MetricUse::main_rank that all rows have; null without one.
const Metric* find_main_metric(const std::vector<const ComparedRow*>& rows);

/// One device of a result file.
struct Candidate {
  std::string name;  ///< Unique in the comparison: a host, device, file or variant; see name_candidates().
  std::string file;  ///< File name without folder.
  std::string host;
  DeviceRecord device;
  std::optional<PublishedRecord> published;  ///< Set for values that gpubench did not measure.
  Conditions conditions{};
  bool is_history = false;  ///< The values of a row are medians of this machine's earlier runs.
  std::int64_t threads = 0;
  std::string started_at;                 ///< Start of the run, UTC.
  std::string interleaved_run;            ///< Identifier of the interleaved run; empty without one.
  std::string variant;                    ///< Variant of the interleaved run: "A", "B".
  std::string distinction;                ///< Difference from others: "precision fp32", "variant A", a file.
  std::string first_start;                ///< Start of the first row, or of the run for operations.
  std::string last_start;                 ///< Start of the last row, or end of the run for operations.
  std::optional<double> equality_margin;  ///< Margin of equality if the user chose one, see compute_margin().
  std::optional<double> price_per_hour{};  ///< Price in any currency.
  std::vector<ComparedRow> rows;           ///< Rows in the order of the file.
  std::vector<ScalingRow> scaling{};       ///< Scaling with the world size.
};

/// A row and its candidate. Points into the candidates.
struct CandidateRow {
  const Candidate* candidate = nullptr;
  const ComparedRow* row = nullptr;
};

std::vector<CandidateRow> list_rows(const std::vector<Candidate>& candidates);

/// Sets distinctions and short, unique names: host, device, both, or file.
void name_candidates(std::vector<Candidate>& all);

/// Sets the price of candidates with this name, file, host or device. Throws a usage Error if unknown.
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

/// Returns true for two variants of one interleaved run, whose rounds are paired.
bool are_interleaved(const Candidate& left, const Candidate& right);

/// When two candidates were measured. Decides which changes of a machine affect both.
enum class Measuring {
  kInterleaved,  ///< Round by round, see are_interleaved().
  kMixed,        ///< At the same time: in one file, or on one host with times that overlap or are unknown.
  kApart,        ///< In sequence on one host, or on two hosts.
  kHistory,      ///< One is the machine's earlier runs, the other a later run.
};
Measuring find_measuring(const Candidate& left, const Candidate& right);

std::size_t count_ok_rows(const Candidate& candidate);

/// Returns the identities of all rows without their devices, for short names.
std::vector<RowIdentity> make_identities(const std::vector<Candidate>& candidates);

/// Formats "laptop, mps (Apple M2 Max), precision amp-bf16": the name, and what it omits.
std::string full_name(const Candidate& candidate);

/// Version in documents with measurements of another program.
inline constexpr const char* kAnotherProgram = "another program";

/// Returns the differences between machines and set-ups that have an effect or are choices, and the order of
/// measuring. Choices of variants in interleaved runs have no effect.
std::vector<Difference> differences(const Candidate& left, const Candidate& right);

}  // namespace gpubench
