#pragma once
// Parameter tables of workloads, which define options, help, suites, grids, keys in files and names of cases.
// To add a parameter, add a member to the workload's point and a row to its table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/record/field_table.h"

namespace gpubench {

/// Headings of `gpubench --help`: what to train, how, how long.
enum class Topic { kWhat, kHow, kLength };

/// Values of a parameter in a grid.
enum class Span {
  kSingle,
  kList,   ///< List of values.
  kCount,  ///< 1, 2, ... up to the given value.
};

/// Comparability of two values, from good to bad.
enum class Comparability : std::uint8_t {
  kComparable,
  kCaveat,   ///< Compared with a caution.
  kRefused,  ///< Not compared unless forced: the work differs.
};

/// Comparability of each MetricClass up to kEnergy if a parameter differs. Latencies follow times.
using Effects = std::array<Comparability, 5>;

constexpr Comparability effect_on(MetricClass metric_class, const Effects& effects) {
  const MetricClass known = metric_class == MetricClass::kLatency ? MetricClass::kTime : metric_class;
  return effects[static_cast<std::size_t>(known)];
}

inline constexpr Effects kNoEffect = {};
constexpr Effects on_all(Comparability effect) { return {effect, effect, effect, effect, effect}; }
inline constexpr Effects kCaveatOnAll = on_all(Comparability::kCaveat);
inline constexpr Effects kRefusedOnAll = on_all(Comparability::kRefused);

/// Presence of a parameter in the full and in the short name of a row.
enum class InName {
  kAlways,
  kUnlessDefault,
  kIfDifferent,      ///< In full names, and in short names of rows that differ in it.
  kOnlyIfDifferent,  ///< In short names of rows that differ in it.
  kNever,            ///< Not part of the identity.
};

/// Uses of a parameter apart from its key in files.
struct ParameterUse {
  const char* option = "";   ///< "--batch"; empty: not an option.
  const char* type = "";     ///< Value placeholder in help: "N,..."; empty: a flag.
  const char* initial = "";  ///< Default as typed; empty: that of the point.
  Topic topic = Topic::kWhat;
  Span span = Span::kSingle;
  bool is_common = true;   ///< Shown by `--help`, not only by `--help-all`.
  bool is_in_file = true;  ///< Written to result files.
  InName in_name = InName::kNever;
  std::string_view before = ", ";  ///< Text before the value in a name, such as ", batch ".
  std::string_view after = {};     ///< Text after the value in a name.
  const char* usual = nullptr;     ///< Value omitted from names with kUnlessDefault; null: the default.
  /// Parses values that the field's kind cannot express. Throws an Error that states the expected form.
  FieldValue (*read)(const std::string& word) = nullptr;
  const char* word = "";        ///< Keyword instead of a whole number, such as "all"; empty: none.
  std::int64_t word_value = 0;  ///< Number that `word` stands for.

  /// Above 0 for a mode. Rows that differ only in modes do the same work; a row is compared with the nearest
  /// one. Distances are powers of two, so that lesser modes never outweigh a greater one.
  int mode_distance = 0;
  Effects on_difference = kCaveatOnAll;  ///< Comparability of results that differ in it.
  const char* difference = "";           ///< Name of the difference in cautions; empty: the label.
  bool is_choice = false;                ///< Variants of `ab` may differ in it without a caution.
  const char* used = "";      ///< Key of the fact with the resolved value, which is compared; empty: none.
  std::string_view key = {};  ///< Key of the field; set by Parameter.
};

/// A row of a parameter table: a field of the point, and its uses. The help fits one line of `--help`.
template <class Point>
struct Parameter : Field<Point> {
  Parameter(const char* its_key, const char* its_unit, const char* its_label, Shown its_shown,
            const char* its_help, Access<Point>&& access, const ParameterUse& its_use)
      : Field<Point>(its_key, its_unit, its_label, its_shown, its_help, std::move(access)), use(its_use) {
    use.key = its_key;
    if (use.in_name != InName::kUnlessDefault)
      use.usual = "";
    else if (use.usual == nullptr)
      use.usual = use.initial;
  }

  ParameterUse use;
};

template <class Point>
using ParameterTable = FieldTable<Point, Parameter<Point>>;

/// Parses the value `word` of the option `name`. Throws a usage Error that starts with `name`.
FieldValue read_parameter(const FieldFacts& field, const ParameterUse& use, const std::string& word,
                          const std::string& name);

/// Formats a scalar: "128", "fp32"; empty if missing.
std::string to_text(const FieldValue& value);

/// Throws a usage Error that starts with `name` if the list has duplicates.
void require_distinct(const std::vector<FieldValue>& values, const std::string& name);

/// Throws a usage Error if a plan has more than kMostRows rows.
void require_room(std::size_t rows);

/// A grid of points: values of each parameter, by default its default.
template <class Point>
class Grid {
 public:
  explicit Grid(const ParameterTable<Point>& table) : table_(&table) {}

  /// Sets the values of a parameter; `name` is for messages. Throws a usage Error for wrong or equal values.
  void set(const Parameter<Point>& parameter, const std::vector<std::string>& words,
           const std::string& name) {
    std::vector<FieldValue> values;
    Point scratch;
    for (const std::string& word : words) {
      values.push_back(read_parameter(parameter, parameter.use, word, name));
      parameter.set(scratch, values.back());
    }
    require_distinct(values, name);
    values_[parameter.key] = std::move(values);
  }

  /// Sets the values of the parameter with this key, which exists.
  void set(const std::string& key, const std::vector<std::string>& words) {
    const Parameter<Point>& parameter = *table_->find(key);
    set(parameter, words, parameter.use.option);
  }

  void set(const std::string& key, const std::string& word) { set(key, std::vector{word}); }

  /// Replaces the values of the parameters that `other` gives.
  void overlay(const Grid& other) {
    for (const auto& [key, values] : other.values_) values_[key] = values;
  }

  /// Returns the values of a parameter as text.
  std::vector<std::string> words(const std::string& key) const {
    return mapped(axis(*table_->find(key)), to_text);
  }

  bool is_given(const std::string& key) const { return values_.contains(key); }

  /// Returns all combinations; later parameters vary faster. Throws as require_room() does.
  std::vector<Point> points() const {
    std::vector<Point> points(1);
    for (const Parameter<Point>& parameter : *table_) {
      const std::vector<FieldValue> values = axis(parameter);
      require_room(points.size() * std::max<std::size_t>(1, values.size()));
      std::vector<Point> product;
      for (const Point& point : points) {
        for (const FieldValue& value : values) parameter.set(product.emplace_back(point), value);
      }
      if (!values.empty()) points = std::move(product);
    }
    return points;
  }

  friend bool operator==(const Grid&, const Grid&) = default;

 private:
  std::vector<FieldValue> axis(const Parameter<Point>& parameter) const {
    const ParameterUse& use = parameter.use;
    const auto given = values_.find(parameter.key);
    std::vector<FieldValue> values;
    if (given != values_.end())
      values = given->second;
    else if (*use.initial != '\0')
      values = {read_parameter(parameter, use, use.initial, use.option)};
    if (use.span != Span::kCount || values.empty()) return values;
    const auto count = std::get<std::int64_t>(values.front());
    require_room(static_cast<std::size_t>(count));
    values.clear();
    for (std::int64_t i = 1; i <= count; ++i) values.emplace_back(i);
    return values;
  }

  const ParameterTable<Point>* table_;
  std::map<std::string, std::vector<FieldValue>> values_;
};

// Immutable, so thread-safe.
const ParameterTable<TrainPoint>& train_parameters();
const ParameterTable<OpPoint>& op_parameters();
const ParameterTable<OpPoint>& collective_parameters();

/// Returns "all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive".
std::vector<std::string> collective_names();

/// A grid of training cases.
struct TrainGrid : Grid<TrainPoint> {
  TrainGrid() : Grid(train_parameters()) {}

  /// Returns true for `--batch max`, which searches the largest batch that fits.
  bool finds_max_batch() const;
};

/// Returns the point with epochs, warm-up and target resolved. Throws a usage Error if they conflict.
TrainPoint with_length(TrainPoint point);

}  // namespace gpubench
