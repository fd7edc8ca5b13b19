#pragma once
// Which rows a table of operations has. No LibTorch.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/op_work.h"

namespace gpubench {

/// What was asked for, as names that are not yet checked.
struct OpPlanOptions {
  std::vector<std::string> ops;     ///< Empty: all.
  std::vector<std::string> shapes;  ///< Instead of those of the set, as parse_op_case reads them.
  std::vector<std::string> types;   ///< Empty: fp32, of a matrix all.
  std::vector<std::string> directions{"forward"};
  std::vector<std::string> caches{"warm"};
  std::string set;         ///< "published", "small" or "all": both; empty: published, of a matrix small.
  bool is_matrix = false;  ///< The first size of the set of each operation with every type.
  std::string sweep;       ///< "256:16384:*2" or "256:1024:+256": square products of these sizes.
  std::int64_t seed = 0;
  std::int64_t repeat = 1;  ///< Repetitions of every row, each in a process of its own.
  OpEffort effort;

  friend bool operator==(const OpPlanOptions&, const OpPlanOptions&) = default;
};

/// "published", "small", and "all": both.
std::vector<std::string> op_set_names();

/// The set whose sizes are run, "published", "small" or "all"; empty where sizes are given.
std::string format_set(const OpPlanOptions& options);

/// The rows in the order devices, operations, sizes, types, directions, caches, repetitions. `devices` are
/// resolved names. Throws a usage Error that names the option for unknown names, shapes without exactly one
/// operation, a sweep that is none, and for options that exclude each other.
std::vector<OpWork> plan_ops(const OpPlanOptions& options, const std::vector<std::string>& devices,
                             std::span<const OpInfo> known);

/// Two matrices of so many rows have eight terabytes.
inline constexpr std::int64_t kMostMatrixRows = 1 << 20;

/// Sizes of a sweep: "256:4096:*2" or "256:1024:+256". Throws a usage Error that begins with the option.
std::vector<std::int64_t> parse_sweep(const std::string& text, const char* option = "--sweep",
                                      std::int64_t largest = kMostMatrixRows);

}  // namespace gpubench
