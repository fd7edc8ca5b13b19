#pragma once
// Parameters of a workload, a row each, over which options, help, suites, grids, files and names loop.
// To add one, add a member to the workload's point and a row to its table.

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpubench/record/field_table.h"

namespace gpubench {

/// Headings of `gpubench --help`.
enum class Topic { kWhat, kHow, kLength };

/// How many values a grid has of a parameter.
enum class Span {
  kSingle,
  kList,   ///< Each of a list of values.
  kCount,  ///< 1, 2, ... up to the value that is given.
};

enum class Metric { kTime, kStartup, kMemory, kAccuracy, kEnergy };
inline constexpr std::array kAllMetrics = {Metric::kTime, Metric::kStartup, Metric::kMemory,
                                           Metric::kAccuracy, Metric::kEnergy};

/// From good to bad.
enum class Comparability : std::uint8_t {
  kComparable,
  kCaveat,   ///< Shown with a caution.
  kRefused,  ///< Not shown unless forced: the figures are of different work.
};

/// Effects of a difference on time, start-up, memory, accuracy and energy.
using Effects = std::array<Comparability, kAllMetrics.size()>;

inline constexpr Effects kNoEffect = {};
constexpr Effects on_all(Comparability effect) { return {effect, effect, effect, effect, effect}; }
inline constexpr Effects kCaveatOnAll = on_all(Comparability::kCaveat);
inline constexpr Effects kRefusedOnAll = on_all(Comparability::kRefused);

/// Presence of a parameter in the name of a row.
enum class InName {
  kAlways,
  kUnlessDefault,
  kIfDifferent,      ///< In full, and among other rows where these differ in it.
  kOnlyIfDifferent,  ///< Not in full.
  kNever,            ///< No part of an identity.
};

/// Uses of a parameter, besides its field in files.
struct ParameterUse {
  const char* option = "";   ///< "--batch"; empty: not an option.
  const char* type = "";     ///< Form of its value in help: "N,..."; empty: a flag.
  const char* initial = "";  ///< Default, as typed; empty: the point's own.
  Topic topic = Topic::kWhat;
  Span span = Span::kSingle;
  bool is_common = true;   ///< In `--help`; otherwise in `--help-all` only.
  bool is_in_file = true;  ///< A key of result files.
  InName in_name = InName::kNever;
  std::string_view before = ", ";  ///< In a name: ", batch ", then the value.
  std::string_view after = {};
  const char* usual = nullptr;  ///< Value that a name leaves out with kUnlessDefault; null: the default.
  /// Reads values in other notations than the field's kind. Throws an Error that says what is expected.
  FieldValue (*read)(const std::string& word) = nullptr;
  const char* word = "";  ///< Typed for `word_value` instead of a whole number: "all"; empty: none.
  std::int64_t word_value = 0;

  /// Above 0: a mode. Rows that differ in it do the same work, and the nearest ones are compared. Distances
  /// are powers of two, so that no number of lesser modes outweighs a greater one.
  int mode_distance = 0;
  Effects on_difference = kCaveatOnAll;  ///< Of two results that differ in it, if it is in files.
  const char* difference = "";           ///< Name of such a difference; empty: the label.
  bool is_choice = false;  ///< Sides in alternation may differ in it on purpose, without an effect.
  const char* used = "";   ///< Key of the fact with the value in force, which is compared; empty: as asked.
  std::string_view key = {};  ///< Set by Parameter.
};

/// A row: the field of the point, whose help fits a line of `--help`, and its uses.
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

/// Returns the value in `word`, as typed. Throws a usage Error that begins with `name` for a wrong one.
FieldValue read_parameter(const FieldFacts& field, const ParameterUse& use, const std::string& word,
                          const std::string& name);

/// Text of a single value: "128", "fp32"; empty if it is missing.
std::string to_text(const FieldValue& value);

/// Throws a usage Error that begins with `name` if a value stands twice in the list.
void require_distinct(const std::vector<FieldValue>& values, const std::string& name);

/// Throws a usage Error for a plan of more rows than a document holds.
void require_room(std::size_t rows);

/// Values of parameters, which make a grid of points. Those that are not given have their defaults.
template <class Point>
class Grid {
 public:
  explicit Grid(const ParameterTable<Point>& table) : table_(&table) {}

  /// Sets the values of a parameter; `name` is for messages. Throws a usage Error for a wrong or equal one.
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

  /// Returns the values of a parameter, given or by default, as text.
  std::vector<std::string> words(const std::string& key) const {
    std::vector<std::string> words;
    for (const FieldValue& value : axis(*table_->find(key))) words.push_back(to_text(value));
    return words;
  }

  bool is_given(const std::string& key) const { return values_.contains(key); }
  bool is_empty() const { return values_.empty(); }

  /// Returns every combination, later parameters varying faster. Throws a usage Error as require_room() does.
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

// Immutable, safe to read from several threads.
const ParameterTable<TrainPoint>& train_parameters();
const ParameterTable<OpPoint>& op_parameters();
const ParameterTable<OpPoint>& collective_parameters();

/// Returns "all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive".
std::vector<std::string> collective_names();

/// Trainings that the user asked for.
struct TrainGrid : Grid<TrainPoint> {
  TrainGrid() : Grid(train_parameters()) {}

  /// Returns whether it asks for the largest batch that fits (`--batch max`) instead of times.
  bool finds_max_batch() const;
};

/// Returns the point with epochs, warm-up and target set. Throws a usage Error where they contradict.
TrainPoint with_length(TrainPoint point);

}  // namespace gpubench
