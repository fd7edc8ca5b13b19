#pragma once
// Operations that can be asked for, and the rows of a table of them, or of collectives. No LibTorch.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/plan/rank_context.h"
#include "gpubench/core/units.h"
#include "gpubench/record/op_case.h"
#include "gpubench/record/ops_record.h"

namespace gpubench {

/// How long a row is measured.
struct OpEffort {
  Seconds sample{0.005};  ///< Least time of a sample.
  Seconds limit{0.5};     ///< No sample begins later, except the first three within 10 s.
  std::size_t most_samples = 100;
  bool is_second_call = false;  ///< Instead, as S4 did: two calls, of which the second counts.
};

struct OpRequest {
  OpCase sizes;
  OpType type = OpType::kFp32;
  OpDirection direction = OpDirection::kForward;
  OpCache cache = OpCache::kWarm;
  std::uint64_t seed = 0;  ///< Of the inputs.
  OpEffort effort;
};

/// A row to run.
struct OpWork {
  std::string op;
  OpRequest request;
  std::string device;       ///< Resolved name, e.g. "cuda:0".
  std::int64_t repeat = 1;  ///< From 1.
  std::int64_t ranks = 1;   ///< Of a collective at least 2.

  std::optional<RankContext> rank_context{};  ///< Set before it is run, and no part of the plan.
};

/// Returns the row of an operation that was not run.
OpRecord describe(const OpWork& work);

/// Options of a table of operations. Names are not yet checked.
struct OpPlanOptions {
  std::vector<std::string> ops;     ///< Empty: all.
  std::vector<std::string> shapes;  ///< Instead of those of the set, as parse_op_case reads them.
  std::vector<OpType> types;        ///< Empty: fp32, of a matrix all.
  std::vector<OpDirection> directions{OpDirection::kForward};
  std::vector<OpCache> caches{OpCache::kWarm};
  std::string set;         ///< One of op_set_names(); empty: published, of a matrix small.
  bool is_matrix = false;  ///< The first size of the set of each operation with every type.
  std::string sweep;       ///< "256:16384:*2" or "256:1024:+256": square products of these sizes.
  std::int64_t seed = 0;
  std::int64_t repeat = 1;  ///< Repetitions of every row, each in a process of its own.
  OpEffort effort;
};

/// Returns "published", "small", and "all": both.
std::vector<std::string> op_set_names();

/// Returns the set whose sizes are run; empty if sizes are given.
std::string format_set(const OpPlanOptions& options);

/// Returns the rows in the order devices, operations, sizes, types, directions, caches, repetitions.
/// `devices` are resolved names. Throws a usage Error that names the option for unknown names, shapes without
/// exactly one operation, a malformed sweep, and options that exclude each other.
std::vector<OpWork> plan_ops(const OpPlanOptions& options, const std::vector<std::string>& devices,
                             std::span<const OpInfo> known);

/// Rows of a matrix; two square ones of this size have eight terabytes.
inline constexpr std::int64_t kMostMatrixRows = 1 << 20;

/// Returns the sizes of a sweep: "256:4096:*2" or "256:1024:+256". Throws a usage Error that begins with the
/// option.
std::vector<std::int64_t> parse_sweep(const std::string& text, const char* option = "--sweep",
                                      std::int64_t largest = kMostMatrixRows);

/// Options of a table of collectives.
struct NetPlanOptions {
  std::vector<std::string> collectives;   ///< Empty: all.
  std::string sizes = "4:1073741824:*4";  ///< Bytes, as parse_sweep() reads them.
  std::vector<std::int64_t> ranks;        ///< Set; each at least 2.
  std::int64_t repeat = 1;                ///< Repetitions of every row.
  OpEffort effort;
};

/// Returns "all_reduce", "all_gather", "reduce_scatter", "broadcast", "send_receive".
std::vector<std::string> collective_names();

/// Returns the rows in the order ranks, collectives, sizes, repetitions. Throws a usage Error that names the
/// option.
std::vector<OpWork> plan_net(const NetPlanOptions& options, const std::string& device);

}  // namespace gpubench
