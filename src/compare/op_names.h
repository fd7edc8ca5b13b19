#pragma once
// Short names of the rows of a table of operations: what distinguishes them, and no more.

#include <span>
#include <string>
#include <vector>

#include "gpubench/record/ops_record.h"

namespace gpubench {

/// Knows in what rows differ.
class OpNames {
 public:
  explicit OpNames(std::span<const OpRecord> rows);

  /// "matmul 64x256 256x32, bf16, cold".
  std::string whole(const OpRecord& row) const;

  /// Without the type: what a row of the matrix is about.
  std::string without_type(const OpRecord& row) const;

  /// The type and what else sets it apart, without operation and sizes: what a line of a sweep is about.
  std::string variant(const OpRecord& row) const;

 private:
  std::vector<std::string> variants(const OpRecord& row, bool tells_type) const;

  bool tells_type_;
  bool tells_direction_;
  bool tells_cache_;
  bool tells_device_;
};

/// What a row is about but for its device: the same in two tables.
bool is_same_work(const OpRecord& a, const OpRecord& b);

/// Of a row that is ok: the time of a call, above 0; else why there is none.
Reading<Estimate> usable_time(const OpRecord& row);

/// The types of the rows, in the order of all_op_types().
std::vector<OpType> types_of(std::span<const OpRecord> rows);

}  // namespace gpubench
