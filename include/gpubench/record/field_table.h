#pragma once
// Every field of a record once, for documents, schemas, documentation, tables and validation.

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

/// A field's value. Missing is `null` in files, with its reason in the object's `missing`, and "-" in tables.
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

/// What values a field has. Limits hold for a number, and for each in a list.
struct Values {
  Kind kind = Kind::kText;
  bool may_be_absent = false;
  std::optional<double> least = std::nullopt;  ///< Of a text: of its length.
  std::optional<double> most = std::nullopt;
  std::vector<std::string> names = {};  ///< The only ones that a text can be; empty: any.
  std::string pattern = {};             ///< Regular expression that a text matches; empty: any does.
  bool is_own_word = false;             ///< Kept by redact(): gpubench's own words, products and versions.

  /// A single value, and no list or group of them.
  bool is_single() const { return kind <= Kind::kText; }
  bool is_number() const { return kind == Kind::kWholeNumber || kind == Kind::kNumber; }
};

/// Where a field is shown beside the result file, which has them all.
enum class Shown {
  kInFile,
  kInTable,
  kInTableOfRepeats,     ///< In the table too, where a case was run more than once.
  kInTableIfUnusual,  ///< In the table too, where a row has a value, and not the one of a case by default.
};

/// Which documents have the key of a field.
enum class Presence {
  kMeasured,  ///< Those of measurements; publications where it says something.
  kAlways,    ///< All, publications too.
  kOptional,  ///< Those where it differs from an empty record's, or a derived field has a value.
};

/// Parts of a result. Other objects have direct members alone.
enum class FieldSection {
  kDirect,   ///< In the result itself: its workload and how it ended.
  kAsked,    ///< Parameters.
  kFacts,    ///< What was resolved, counted or measured once.
  kFigures,  ///< Derived values, which are never read back.
  kSamples,  ///< Lists: raw series.
};
inline constexpr std::array kSectionNames{"", "asked", "facts", "figures", "samples"};
constexpr EnumNames<FieldSection> enum_names(FieldSection) { return {"section", kSectionNames}; }

/// Records of what one row of a plan gave.
template <class Record>
concept ResultRecord =
    std::derived_from<Record, RowRecord> || std::same_as<Record, PeakPoint> || std::same_as<Record, CheckRow>;

/// How a field is read and put back, and what it can be: `member(&CaseRecord::batch_size).at_least(1)`.
template <class Record>
struct Access {
  std::function<FieldValue(const Record&)> get;

  /// Empty for a derived field, which is never read from a file. Takes values of the field's kind. Throws a
  /// data Error, without the key, for a missing value where there must be one and for an unknown name.
  std::function<void(Record&, const FieldValue&)> set = {};

  Values values = {};
  Presence presence = Presence::kMeasured;
  std::string group = {};
  bool is_signed = false;
  std::optional<FieldSection> section = {};  ///< Of a result; where empty it follows from the others.

  Access&& at_least(double least) && { return with(values.least, least); }
  Access&& at_most(double most) && { return with(values.most, most); }
  /// Without it numbers that have a unit or count something are never below zero.
  Access&& of_any_sign() && { return with(is_signed, true); }
  Access&& one_of(std::vector<std::string> names) && {
    return with(values.names, std::move(names)).own_word();
  }
  Access&& own_word() && { return with(values.is_own_word, true); }
  Access&& like(std::string pattern) && { return with(values.pattern, std::move(pattern)); }
  /// Null, with a reason, is a value that a document can have although the record's type has none.
  Access&& or_absent() && { return with(values.may_be_absent, true); }
  Access&& always() && { return with(presence, Presence::kAlways); }
  Access&& optional() && { return with(presence, Presence::kOptional); }
  Access&& asked() && { return with(section, FieldSection::kAsked); }
  Access&& direct() && { return with(section, FieldSection::kDirect); }
  Access&& fact() && { return with(section, FieldSection::kFacts); }
  Access&& in(std::string its_group) && { return with(group, std::move(its_group)); }

 private:
  template <class Member, class Value>
  Access&& with(Member& member, Value value) {
    member = std::move(value);
    return std::move(*this);
  }
};

/// Facts of a field. `key` is the name in files, with the unit's suffix (`_seconds`, `_bytes`).
struct FieldFacts {
  std::string key;
  std::string unit;   ///< "s", "B", "samples/s", "fraction", "MAC", or empty for a plain number or text.
  std::string label;  ///< Heading for people.
  Shown shown;
  std::string help;  ///< What it is, for people: a sentence or two, Markdown without tables.
  Values values;
  Presence presence;
  std::string group;  ///< Of fields that tend to be absent for one reason: "energy"; empty for a loner.
  FieldSection section = FieldSection::kDirect;
};

/// One row of a table.
template <class Record>
struct Field : FieldFacts {
  Field(const char* its_key, const char* its_unit, const char* its_label, Shown its_shown,
        const char* its_help, Access<Record>&& access)
      : FieldFacts{its_key,         its_unit,
                   its_label,       its_shown,
                   its_help,        std::move(access.values),
                   access.presence, std::move(access.group)},
        get(std::move(access.get)),
        set(std::move(access.set)) {
    const bool counts = values.kind == Kind::kWholeNumber || values.kind == Kind::kWholeNumbers;
    const bool is_text = values.kind == Kind::kText;
    if (!values.least && !access.is_signed && !is_text && (counts || !unit.empty())) values.least = 0;
    // What could be empty is absent instead.
    if (!values.least && is_text && values.may_be_absent) values.least = 1;
    if constexpr (ResultRecord<Record>) section = access.section.value_or(usual_section());
  }
  /// One that is in files alone.
  Field(const char* its_key, const char* its_unit, const char* its_label, const char* its_help,
        Access<Record>&& access)
      : Field(its_key, its_unit, its_label, Shown::kInFile, its_help, std::move(access)) {}

  /// One of a base class of the record.
  template <class Base>
  requires std::derived_from<Record, Base>
  explicit Field(const Field<Base>& field)
      : FieldFacts(field),
        get(field.get),
        set(field.set ? std::function<void(Record&, const FieldValue&)>(field.set) : nullptr) {}

  std::function<FieldValue(const Record&)> get;
  std::function<void(Record&, const FieldValue&)> set;  ///< See Access.

 private:
  FieldSection usual_section() const {
    if (!set) return FieldSection::kFigures;
    const bool is_list = !values.is_single() && values.kind != Kind::kNamedValues;
    return is_list ? FieldSection::kSamples : FieldSection::kFacts;
  }
};

/// The fields of a kind of record, in the order of the file. Immutable, safe to read from several threads.
template <class Record, class Row = Field<Record>>
class FieldTable {
 public:
  explicit FieldTable(std::vector<Row> rows) : rows_(std::move(rows)) {
    for (const Row& field : rows_) by_key_.emplace(field.key, &field);
  }
  FieldTable(FieldTable&&) = default;  // The rows stay where they are.

  auto begin() const { return rows_.begin(); }
  auto end() const { return rows_.end(); }

  /// nullptr where no field has the key.
  const Row* find(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found == by_key_.end() ? nullptr : found->second;
  }

 private:
  std::vector<Row> rows_;
  std::unordered_map<std::string_view, const Row*> by_key_;
};

const FieldTable<CaseRecord>& case_fields();  ///< Without the list of sources of power.
const FieldTable<EnergyRecord>& energy_fields();
const FieldTable<Phase>& phase_fields();
const FieldTable<Warning>& warning_fields();
const FieldTable<ToolRecord>& tool_fields();
const FieldTable<PlanRecord>& plan_fields();
const FieldTable<PublishedRecord>& published_fields();  ///< Without the list of figures.
const FieldTable<Environment>& environment_fields();    ///< Without the lists of devices and datasets.
const FieldTable<DeviceRecord>& device_fields();
const FieldTable<DatasetRecord>& dataset_fields();  ///< Without the list of files.
const FieldTable<DataFileRecord>& data_file_fields();
const FieldTable<RankRecord>& rank_fields();
const FieldTable<ScalingRow>& scaling_fields();
const FieldTable<OpRecord>& op_fields();
const FieldTable<PeakPoint>& peak_point_fields();
const FieldTable<CheckRow>& check_fields();

}  // namespace gpubench
