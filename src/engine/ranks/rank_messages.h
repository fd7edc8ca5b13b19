#pragma once
// What the supervisors of ranks say to each other: a line each. docs/ranks.md has the order.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/execution/work_json.h"
#include "engine/plan/plan.h"
#include "gpubench/record/run_record.h"

namespace gpubench {

// --- What a rank tells rank 0.

/// Here I am.
struct HelloMessage {
  std::string job;
  std::int64_t rank = 0;
  std::int64_t ranks = 0;
  std::string version;                 ///< Of gpubench, with its commit.
  std::vector<std::string> arguments;  ///< Of its command line.
  std::string host;
  std::string cores;           ///< Which of its machine's it may use; the same text, the same ones.
  double available_cores = 0;  ///< How many that are, a quota counted in.
};

/// A dataset as a rank has it.
struct DataDigest {
  std::string name;
  std::string content;  ///< The same for the same content.

  friend bool operator==(const DataDigest&, const DataDigest&) = default;
};

/// I can run the plan.
struct ReadyMessage {
  RankRecord rank;
  std::string libtorch_version;
  std::vector<DataDigest> data;
};

/// I cannot go on.
struct FailedMessage {
  std::string message;
};

/// A row is over, here.
struct DoneMessage {
  RowStatus status = RowStatus::kError;
  std::string reason;
  std::vector<std::string> last_lines;
  bool is_waiting = false;             ///< Whether it waited for other ranks when it was last heard of.
  std::optional<CaseRecord> record{};  ///< Of a case.
};

using FromRank = std::variant<HelloMessage, ReadyMessage, FailedMessage, DoneMessage>;

// --- What rank 0 tells a rank.

/// What is to be run.
struct PlanMessage {
  std::vector<std::string> devices;  ///< Of rank 0.
  int threads = 0;
  std::string allocator;     ///< As --allocator has it.
  std::string memory_limit;  ///< As --memory-limit has it.
  bool is_repeated = false;  ///< Each worker is to begin with its own program.
  std::vector<Json> cases;   ///< As from to_json(const Case&).
};

/// Run this one, with the others.
struct CaseMessage {
  Json plan;  ///< As from to_json(const Case&).
  RankSeat seat;
};

/// The same of a collective.
struct CollectiveMessage {
  Json plan;  ///< As from to_json(const OpWork&).
  RankSeat seat;
};

/// End the row at once.
struct AbortMessage {};

/// Nothing more comes.
struct EndMessage {
  std::string why;  ///< Empty where all went well.
};

using ToRank = std::variant<PlanMessage, CaseMessage, CollectiveMessage, AbortMessage, EndMessage>;

/// One line, without its end.
std::string to_line(const FromRank& message);
std::string to_line(const ToRank& message);

/// Throw a data Error for what is no such message.
FromRank from_rank(const std::string& line);
ToRank to_rank(const std::string& line);

/// What is wrong with a message that came in a place where another one is due.
[[noreturn]] void fail_unexpected(const std::string& from);

}  // namespace gpubench
