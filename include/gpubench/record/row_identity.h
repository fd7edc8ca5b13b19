#pragma once
// Identity and names of rows. Rows of equal identity are repeats of the same work.

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "gpubench/core/collect.h"

namespace gpubench {

struct CaseRecord;
struct OpRecord;
struct ParameterUse;

/// Parameters that identify a row, in the order of names. The number of the repeat is excluded.
class RowIdentity {
 public:
  struct Part {
    const ParameterUse* key;
    std::string value;

    friend bool operator==(const Part&, const Part&) = default;
    friend bool operator<(const Part& a, const Part& b) {
      return std::tie(a.key, a.value) < std::tie(b.key, b.value);
    }
  };

  explicit RowIdentity(std::vector<Part> parts) : parts_(std::move(parts)) {}

  const std::vector<Part>& parts() const { return parts_; }
  /// Returns the model or the operation.
  const std::string& subject() const { return parts_.front().value; }
  /// Returns the value of a part; empty if the part does not exist.
  const std::string& at(std::string_view key) const;
  /// Returns the whole number of a part; 0 if missing.
  std::int64_t number(std::string_view key) const;

  /// Returns a copy with another value of a part.
  RowIdentity with(std::string_view key, std::string value) const;
  /// Returns a copy without some parts: a.without({"batch_size"}) == b.without({"batch_size"}).
  RowIdentity without(std::span<const std::string_view> keys) const;
  RowIdentity without(std::initializer_list<std::string_view> keys) const {
    return without(std::span(keys.begin(), keys.size()));
  }

  /// Arbitrary order, for maps.
  friend bool operator==(const RowIdentity&, const RowIdentity&) = default;
  friend bool operator<(const RowIdentity& a, const RowIdentity& b) { return a.parts_ < b.parts_; }

 private:
  std::vector<Part> parts_;
};

// Keys are those of parameter.h, and `train_samples` for a case.
RowIdentity make_identity(const CaseRecord& record);
RowIdentity make_identity(const OpRecord& record);

template <class Record>
std::vector<RowIdentity> make_identities(const std::vector<Record>& records) {
  return mapped(records, [](const Record& record) { return make_identity(record); });
}

/// Returns the positions of the rows of each identity, in order of first appearance.
std::vector<std::vector<std::size_t>> group_repeats(std::span<const RowIdentity> rows);

/// Returns the full name: "mlp (hidden=500) on cpu, cifar10, batch 128"; "matmul 64x256 256x32, fp32, ...".
std::string make_name(const RowIdentity& identity);

/// Short names of rows, with the distinguishing parts only. Names may contain untrusted text.
class RowNames {
 public:
  explicit RowNames(std::span<const RowIdentity> rows);

  /// Returns "mlp on cpu, batch 128, bf16" or "matmul 64x256 256x32, bf16". An identity without operation and
  /// sizes gives "bf16".
  std::string of(const RowIdentity& identity) const;

  /// Returns the sizes in which rows of the same model differ: "hidden=500, layers=4".
  std::string differing_sizes(const RowIdentity& identity) const;

 private:
  bool is_shown(const RowIdentity::Part& part) const;

  std::set<std::string_view> differing_;   ///< Keys of parts in which rows differ.
  std::set<std::string> differing_sizes_;  ///< Names of sizes in which rows of a model differ.
};

}  // namespace gpubench
