#pragma once
// Identity of a row, be it a training case or an operation: which rows are the same work, and their names.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpubench/core/collect.h"

namespace gpubench {

struct CaseRecord;
struct OpRecord;
struct ParameterUse;

/// Parts in the order in which people say them, what is worked on first. The repetition is none.
class RowIdentity {
 public:
  struct Part {
    const ParameterUse* key;
    std::string value;

    friend bool operator==(const Part&, const Part&) = default;
  };

  explicit RowIdentity(std::vector<Part> parts) : parts_(std::move(parts)) {}

  const std::vector<Part>& parts() const { return parts_; }
  /// The model, or the operation.
  const std::string& subject() const { return parts_.front().value; }
  /// The value of a part; empty where rows of this kind have none.
  const std::string& at(std::string_view key) const;
  /// The same of one that is a whole number; 0 where there is none.
  std::int64_t number(std::string_view key) const;

  /// Another row that differs in this alone.
  RowIdentity with(std::string_view key, std::string value) const;
  /// Compares identities except for some keys: a.without({"batch_size"}) == b.without({"batch_size"}).
  RowIdentity without(std::span<const std::string_view> keys) const;
  RowIdentity without(std::initializer_list<std::string_view> keys) const {
    return without(std::span(keys.begin(), keys.size()));
  }

  friend bool operator==(const RowIdentity&, const RowIdentity&) = default;
  /// Some order, for maps.
  friend bool operator<(const RowIdentity& left, const RowIdentity& right);

 private:
  std::vector<Part> parts_;
};

// Keys are those of the tables in parameter.h; of a case train_samples too.
RowIdentity make_identity(const CaseRecord& record);
RowIdentity make_identity(const OpRecord& record);

template <class Record>
std::vector<RowIdentity> make_identities(const std::vector<Record>& records) {
  return mapped(records, [](const Record& record) { return make_identity(record); });
}

/// Positions of the rows of each identity, in the order of the first ones.
std::vector<std::vector<std::size_t>> group_repeats(std::span<const RowIdentity> rows);

/// In full: "mlp (hidden=500) on cpu, cifar10, batch 128"; "matmul 64x256 256x32, fp32, forward, warm, cpu".
std::string make_name(const RowIdentity& identity);

/// Short names of rows: what distinguishes them, and no more. They may hold text of unknown origin.
class RowNames {
 public:
  explicit RowNames(std::span<const RowIdentity> rows);

  /// "mlp on cpu, batch 128, bf16"; "matmul 64x256 256x32, bf16". Of less than a whole identity what is left:
  /// without the batch size what a line of a chart is about, without operation and sizes "bf16".
  std::string of(const RowIdentity& identity) const;

  /// The sizes in which the rows of its model differ: "hidden=500, layers=4".
  std::string differing_sizes(const RowIdentity& identity) const;

 private:
  bool is_shown(const RowIdentity::Part& part) const;

  std::set<std::string_view> unlike_;   ///< Keys of parts that are to be shown.
  std::set<std::string> unlike_sizes_;  ///< Names of the sizes in which cases of one model differ.
};

}  // namespace gpubench
