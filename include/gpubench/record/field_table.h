#pragma once
// Field tables: the single definition of each field, from which documents, schemas, tables and checks follow.

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "gpubench/record/names.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

struct ScalingRow;
struct PeakPoint;
struct CheckRow;

/// Value of a field. Missing is `null` in files, with a reason under `missing`, and "-" in tables.
using FieldValue = std::variant<Missing, bool, std::int64_t, double, std::string, std::vector<double>,
                                std::vector<std::int64_t>, std::vector<std::string>, std::vector<Phase>,
                                NamedValues, NamedSeries, std::vector<Warning>>;

/// Kinds of values, in the order of FieldValue.
enum class Kind {
  kBoolean,
  kWholeNumber,
  kNumber,
  kText,
  kNumbers,
  kWholeNumbers,
  kTexts,
  kPhases,
  kNamedValues,
  kNamedSeries,
  kWarnings,
};

/// Allowed values of a field. In a list, limits apply to each item.
struct Values {
  Kind kind = Kind::kText;
  bool may_be_absent = false;
  std::optional<double> least = std::nullopt;  ///< Minimum; for text, of the length.
  std::optional<double> most = std::nullopt;   ///< Maximum.
  std::vector<std::string> names = {};         ///< Allowed texts; empty: any.
  std::string pattern = {};                    ///< Regular expression for a text; empty: any.
  bool is_own_word = false;                    ///< Text that redact() keeps: keywords, products, versions.

  /// Returns true for a scalar.
  bool is_single() const { return kind <= Kind::kText; }
  bool is_number() const { return kind == Kind::kWholeNumber || kind == Kind::kNumber; }
};

/// Visibility of a field. Result files have all fields.
enum class Shown {
  kInFile,
  kInTable,
  kInTableOfRepeats,  ///< In the table if a case has several repeats.
  kInTableIfUnusual,  ///< In the table if any row has a value other than the default.
};

/// Presence of a field's key in documents.
enum class Presence {
  kMeasured,  ///< All measurements, and publications that state a value.
  kAlways,    ///< All documents.
  kOptional,  ///< Documents with a value other than that of an empty record.
};

/// Section of a result. Other objects have direct members only.
enum class FieldSection {
  kDirect,   ///< In the result itself: workload and status.
  kAsked,    ///< Parameters.
  kFacts,    ///< Values that were resolved, counted or measured once.
  kFigures,  ///< Derived values. Readers ignore them.
  kSamples,  ///< Raw series.
};
inline constexpr std::array kSectionNames{"", "asked", "facts", "figures", "samples"};
constexpr EnumNames<FieldSection> enum_names(FieldSection) { return {"section", kSectionNames}; }

/// Class of a metric, which selects the conditions that affect it and the words of its verdicts.
enum class MetricClass { kTime, kStartup, kMemory, kQuality, kEnergy, kLatency };

/// Uses of a derived field as a metric: in comparisons, gates, charts, history and trends.
struct MetricUse {
  MetricClass metric_class = MetricClass::kTime;
  bool is_higher_better = false;
  bool is_per_epoch = false;  ///< Grows with the samples per epoch; compared only if those are equal.
  bool is_series = false;     ///< Has a history.
  /// Preference as the main metric of a case, which headlines and gates use; 0: never. Cases are compared by
  /// the first one that both have, so the protocol decides: only fits have a fit time.
  int main_rank = 0;
  const char* noun = "";  ///< Name in sentences, such as "epoch time"; empty: the label.
};

/// Position of fields without a rank among the columns of a table.
inline constexpr int kUnranked = 100;

/// Records of one row of a plan.
template <class Record>
concept ResultRecord =
    std::derived_from<Record, RowRecord> || std::same_as<Record, PeakPoint> || std::same_as<Record, CheckRow>;

/// Properties of a field that its Access sets.
struct FieldTraits {
  Values values = {};
  Presence presence = Presence::kMeasured;
  std::string group = {};  ///< Name for fields that share a reason when missing: "energy"; empty: none.
  std::optional<MetricUse> use = {};  ///< Set for a metric.
  int table_rank = kUnranked;         ///< Position among the columns of a table.
};

/// Getter, setter and traits of a field: `member(&CaseRecord::batch_size).at_least(1)`.
template <class Record>
struct Access : FieldTraits {
  std::function<FieldValue(const Record&)> get;

  /// Sets a value of the field's kind. Empty for a derived field. Throws a data Error without the key for an
  /// unknown name, and for a missing value if the field requires one.
  std::function<void(Record&, const FieldValue&)> set = {};

  bool is_signed = false;
  std::optional<FieldSection> section = {};  ///< Section of a result; empty: by kind and setter.

  Access&& at_least(double least) && { return with(values.least, least); }
  Access&& at_most(double most) && { return with(values.most, most); }
  /// Allows negative numbers. By default counts and numbers with a unit are at least zero.
  Access&& of_any_sign() && { return with(is_signed, true); }
  Access&& one_of(std::vector<std::string> names) && {
    return with(values.names, std::move(names)).own_word();
  }
  Access&& own_word() && { return with(values.is_own_word, true); }
  Access&& like(std::string pattern) && { return with(values.pattern, std::move(pattern)); }
  /// Allows null in documents although the member's type cannot be missing.
  Access&& or_absent() && { return with(values.may_be_absent, true); }
  Access&& always() && { return with(presence, Presence::kAlways); }
  Access&& optional() && { return with(presence, Presence::kOptional); }
  Access&& asked() && { return with(section, FieldSection::kAsked); }
  Access&& direct() && { return with(section, FieldSection::kDirect); }
  Access&& fact() && { return with(section, FieldSection::kFacts); }
  Access&& in(std::string its_group) && { return with(group, std::move(its_group)); }
  Access&& metric(MetricUse its_use) && { return with(use, its_use); }
  /// Sets the position among the columns of a table: narrow terminals omit the last ones.
  Access&& rank(int its_rank) && { return with(table_rank, its_rank); }

 private:
  template <class Member, class Value>
  Access&& with(Member& member, Value value) {
    member = std::move(value);
    return std::move(*this);
  }
};

/// Properties of a field that do not depend on its record.
struct FieldFacts : FieldTraits {
  std::string key;    ///< Name in files, with the suffix of the unit (`_seconds`, `_bytes`).
  std::string unit;   ///< "s", "B", "samples/s", "fraction", "MAC"; empty for plain numbers and text.
  std::string label;  ///< Table heading.
  Shown shown;
  std::string help;  ///< Description in Markdown without tables.
  FieldSection section = FieldSection::kDirect;

  /// Returns the name of a metric in sentences.
  std::string noun() const { return use && *use->noun != '\0' ? use->noun : label; }
};

/// A row of a field table.
template <class Record>
struct Field : FieldFacts {
  Field(const char* its_key, const char* its_unit, const char* its_label, Shown its_shown,
        const char* its_help, Access<Record>&& access)
      : FieldFacts{access, its_key, its_unit, its_label, its_shown, its_help},
        get(std::move(access.get)),
        set(std::move(access.set)) {
    const bool counts = values.kind == Kind::kWholeNumber || values.kind == Kind::kWholeNumbers;
    const bool is_text = values.kind == Kind::kText;
    if (!values.least && !access.is_signed && !is_text && (counts || !unit.empty())) values.least = 0;
    // A text that may be missing is never empty.
    if (!values.least && is_text && values.may_be_absent) values.least = 1;
    if constexpr (ResultRecord<Record>) {
      const bool is_list = !values.is_single() && values.kind != Kind::kNamedValues;
      const FieldSection stored = is_list ? FieldSection::kSamples : FieldSection::kFacts;
      section = access.section.value_or(set ? stored : FieldSection::kFigures);
    }
  }
  /// A field that is only in files.
  Field(const char* its_key, const char* its_unit, const char* its_label, const char* its_help,
        Access<Record>&& access)
      : Field(its_key, its_unit, its_label, Shown::kInFile, its_help, std::move(access)) {}

  /// Converts a field of a base class.
  template <class Base>
  requires std::derived_from<Record, Base>
  explicit Field(const Field<Base>& field)
      : FieldFacts(field),
        get(field.get),
        set(field.set ? std::function<void(Record&, const FieldValue&)>(field.set) : nullptr) {}

  std::function<FieldValue(const Record&)> get;
  std::function<void(Record&, const FieldValue&)> set;  ///< See Access.
};

/// Fields of a record type, in file order. Immutable, so thread-safe.
template <class Record, class Row = Field<Record>>
class FieldTable {
 public:
  explicit FieldTable(std::vector<Row> rows) : rows_(std::move(rows)) {
    for (const Row& field : rows_) by_key_.emplace(field.key, &field);
  }
  FieldTable(FieldTable&&) = default;  // Moving keeps the addresses of the rows.

  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  /// Returns the field with this key, or nullptr.
  const Row* find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

 private:
  std::vector<Row> rows_;
  std::unordered_map<std::string_view, const Row*> by_key_;
};

const FieldTable<CaseRecord>& case_fields();  ///< Without `energy`.
const FieldTable<EnergyRecord>& energy_fields();
const FieldTable<Phase>& phase_fields();
const FieldTable<Warning>& warning_fields();
const FieldTable<ToolRecord>& tool_fields();
const FieldTable<PlanRecord>& plan_fields();
const FieldTable<PublishedRecord>& published_fields();  ///< Without `figures`.
const FieldTable<Environment>& environment_fields();    ///< Without `devices`, `datasets` and `ranks`.
const FieldTable<DeviceRecord>& device_fields();
const FieldTable<DatasetRecord>& dataset_fields();  ///< Without `files`.
const FieldTable<DataFileRecord>& data_file_fields();
const FieldTable<RankRecord>& rank_fields();
const FieldTable<ScalingRow>& scaling_fields();
const FieldTable<OpRecord>& op_fields();
const FieldTable<PeakPoint>& peak_point_fields();
const FieldTable<CheckRow>& check_fields();

}  // namespace gpubench
