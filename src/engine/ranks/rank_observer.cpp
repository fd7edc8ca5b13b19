#include "engine/ranks/process_group.h"

#include <algorithm>
#include <concepts>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

/// For the report of the rank that failed, if others only report lost connections.
constexpr Seconds kReportTimeout{5};
/// For ranks to end after the last epoch, or when they are told to: drivers take their time.
constexpr Seconds kEndTimeout{40};

/// Accepts diverged, invalid and wrong rows, which all ranks share, and interrupts from rank 0.
bool has_succeeded(RowStatus status) {
  return status == RowStatus::kOk || status == RowStatus::kDiverged || status == RowStatus::kInvalid ||
         status == RowStatus::kIncorrect || status == RowStatus::kInterrupted;
}

template <class Reply>
struct PeerPart {
  PeerRank* peer;
  std::optional<Reply> reply{};
  std::string error{};  ///< Why its supervisor cannot reply.

  bool is_over() const { return reply || !error.empty(); }
  bool has_failed() const { return !error.empty() || (reply && !has_succeeded(reply->record.status)); }
  /// Returns true if it failed by itself, and not because it lost the connection to another rank.
  bool is_cause() const { return has_failed() && !(reply && reply->has_lost_connection); }
};

/// A row on all ranks, and the control of rank 0's part, which it ends if another rank fails.
template <class Reply>
class GroupRow : public RowControl {
 public:
  using Row = decltype(Reply::record);
  using Part = PeerPart<Reply>;

  /// Starts the parts of all `peers`. Request: CaseRequest or OpMessage.
  template <class Request>
  GroupRow(RowControl& outer, std::span<PeerRank> peers, Request request, const RankContext& own)
      : outer_(outer) {
    request.rank_context = own;
    request.rank_context->listener = -1;
    for (PeerRank& peer : peers) {
      request.rank_context->rank = peer.hello.rank;
      peer.channel.send(to_line(gpubench::Request(request)));
      parts_.push_back({&peer});
    }
  }

  StopRequest stop_request() override { return outer_.stop_request(); }
  bool must_abort() override {
    receive();
    return outer_.must_abort() || have_failed();
  }
  void add_wake_descriptors(std::vector<int>& to) const override {
    outer_.add_wake_descriptors(to);
    append(to, descriptors());
  }
  void steps_finished(std::int64_t count) override { outer_.steps_finished(count); }
  void epoch_finished(const EpochRecord& epoch) override { outer_.epoch_finished(epoch); }
  void connection_lost() override { has_lost_connection_ = true; }

  const std::vector<Part>& parts() const { return parts_; }

  /// Ends all parts, `limit` after rank 0's success, and completes rank 0's record. A lost connection counts
  /// only if no rank reports another failure.
  void finish(Row& record, Seconds limit) {
    const bool is_aborted = outer_.must_abort() && !have_failed();
    const bool is_own_failure = !has_succeeded(record.status) && !has_lost_connection_;
    const bool may_blame_peers = !is_aborted && !is_own_failure;
    if (may_blame_peers) {
      if (!has_lost_connection_ && !have_failed()) wait(limit, &GroupRow::are_over);
      if (has_lost_connection_ || have_failed()) wait(kReportTimeout, &GroupRow::have_cause);
    }
    auto failed = std::ranges::find_if(parts_, &Part::is_cause);
    if (failed == parts_.end() && !has_lost_connection_)
      failed = std::ranges::find_if(parts_, &Part::has_failed);
    std::vector<std::string> unfinished;
    for (const Part& part : parts_) {
      if (!part.is_over()) unfinished.push_back(part.peer->name());
    }
    const Part* const blamed = may_blame_peers && failed != parts_.end() ? &*failed : nullptr;
    abort();
    if (blamed != nullptr) {
      copy_failure(record, *blamed);
    } else if (is_own_failure || has_lost_connection_) {
      // A timeout is that of the whole row.
      if (record.status != RowStatus::kTimeout) record.status_reason = "rank 0: " + record.status_reason;
    } else if (!is_aborted && !unfinished.empty()) {
      record.status = RowStatus::kTimeout;
      record.status_reason =
          fmt::format("{}: not finished {} after rank 0 (--timeout)", join(unfinished), duration_text(limit));
    }
  }

 private:
  bool are_over() const { return std::ranges::all_of(parts_, &Part::is_over); }
  bool have_failed() const { return std::ranges::any_of(parts_, &Part::has_failed); }
  bool have_cause() const { return std::ranges::any_of(parts_, &Part::is_cause) || are_over(); }

  /// Takes the messages that have arrived. Does not wait.
  void receive() {
    for (Part& part : parts_) {
      while (!part.is_over()) {
        const auto line = part.peer->channel.next();
        if (!line) break;
        take(part, *line);
      }
      if (!part.is_over() && !part.peer->channel.is_open()) part.error = "lost connection to its supervisor";
    }
  }

  static void take(Part& part, const std::string& line) {
    try {
      auto message = reply_from(line);
      if (auto* reply = std::get_if<Reply>(&message)) part.reply = std::move(*reply);
      if (auto* error = std::get_if<ErrorReply>(&message)) part.error = error->message;
    } catch (const Error& error) {
      part.error = error.what();
      part.peer->channel.close();
    }
  }

  void wait(Seconds limit, bool (GroupRow::*is_enough)() const) {
    const Deadline deadline(limit);
    for (receive(); !(this->*is_enough)() && !deadline.is_over(); receive())
      wait_for_any(descriptors(), deadline);
  }

  void abort() {
    for (Part& part : parts_) {
      if (!part.is_over()) part.peer->channel.send(to_line(gpubench::Request(AbortMessage{})));
    }
    wait(kEndTimeout, &GroupRow::are_over);
    for (Part& part : parts_) {
      if (!part.is_over()) part.peer->channel.close();
    }
  }

  std::vector<int> descriptors() const {
    std::vector<int> descriptors;
    for (const Part& part : parts_) {
      if (!part.is_over()) descriptors.push_back(part.peer->channel.descriptor());
    }
    return descriptors;
  }

  static void copy_failure(Row& record, const Part& part) {
    const Row* const failed = part.reply ? &part.reply->record : nullptr;
    record.status = failed != nullptr ? failed->status : RowStatus::kCrashed;
    record.status_reason =
        part.peer->name() + ": " + (failed != nullptr ? failed->status_reason : part.error);
    if (failed != nullptr) record.stderr_tail = failed->stderr_tail;
    if constexpr (std::same_as<Row, CaseRecord>) {
      record.stopped_by = missing("the case ended as " + to_string(record.status));
      if (failed == nullptr) return;
      record.requested = failed->requested;
      record.available = failed->available;
    } else {
      record.call_seconds.clear();
    }
  }

  RowControl& outer_;
  std::vector<Part> parts_;
  bool has_lost_connection_ = false;  // Of rank 0.
};

/// Completes a row that is not tried because it would wait for the lost rank.
template <class Row>
Row row_without(Row record, const std::string& lost) {
  record.status = RowStatus::kError;
  record.status_reason =
      lost +
      ": connection lost in an earlier row; start all ranks again with --resume to run what is missing";
  return record;
}

class GroupExecutor : public CaseExecutor {
 public:
  GroupExecutor(std::unique_ptr<CaseExecutor> inner, ProcessGroup& group, std::vector<Warning> warnings,
                Seconds limit)
      : inner_(std::move(inner)), group_(group), warnings_(std::move(warnings)), limit_(limit) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    if (c.asked.ranks == 1) return inner_->run(c, control);
    if (const std::string lost = group_.lost_rank(c.asked.ranks); !lost.empty())
      return row_without(describe(c, {}), lost);
    Case own = c;
    own.rank_context = group_.next_context(c.asked.ranks);
    GroupRow<CaseReply> row(control, group_.peers(c.asked.ranks), CaseRequest{.plan = to_json(c)},
                            *own.rank_context);
    CaseRecord record = inner_->run(own, row);
    row.finish(record, limit_);
    remove_idle_gpus(record.energy, c.asked.device, group_.ranks_on(group_.own_host(), c.asked.ranks));
    add_others(record, row.parts());
    append(record.warnings, warnings_);
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    return inner_->run_pilot(c, limit, control);
  }

 private:
  void add_others(CaseRecord& record, const std::vector<PeerPart<CaseReply>>& parts) const {
    remove_load_of_ranks(record.warnings, group_.own_host());
    for (const auto& [peer, reply, error] : parts) {
      if (!reply) continue;
      const std::string& host = peer->hello.host;
      std::vector<Warning> warnings = reply->record.warnings;
      remove_load_of_ranks(warnings, host);
      for (Warning& warning : warnings) {
        warning.text = peer->name() + ": " + warning.text;
        add_once(record.warnings, warning);
      }
      std::vector<EnergyRecord> measured = reply->record.energy;
      remove_idle_gpus(measured, record.device, group_.ranks_on(host, record.ranks));
      for (EnergyRecord& energy : measured) {
        energy.part = host + (energy.part.empty() ? "" : " " + energy.part);
        record.energy.push_back(std::move(energy));
      }
    }
  }

  /// To each rank the other ranks of its machine are foreign processes.
  void remove_load_of_ranks(std::vector<Warning>& warnings, const std::string& host) const {
    if (group_.ranks_on(host, group_.size()) == 1) return;
    std::erase_if(warnings, [](const Warning& warning) {
      return warning.kind == "other-processes" || warning.kind == "core-wait";
    });
  }

  std::unique_ptr<CaseExecutor> inner_;
  ProcessGroup& group_;
  std::vector<Warning> warnings_;
  Seconds limit_;
};

/// Ranks stay together from row to row, until one is lost.
class GroupOpExecutor {
 public:
  GroupOpExecutor(OpExecutor inner, ProcessGroup& group, Seconds limit)
      : inner_(std::move(inner)), group_(group), limit_(limit) {}

  OpRecord operator()(const OpWork& work, RowControl& control) {
    if (const std::string lost = group_.lost_rank(work.asked.ranks); !lost.empty())
      return row_without(describe(work), lost);
    OpWork own = work;
    if (!context_ || context_->ranks != work.asked.ranks || repeat_ != work.asked.repeat)
      context_ = group_.next_context(work.asked.ranks);
    repeat_ = work.asked.repeat;
    own.rank_context = context_;
    GroupRow<OpReply> row(control, group_.peers(work.asked.ranks), OpMessage{to_json(work)},
                          *own.rank_context);
    OpRecord record = inner_(own, row);
    row.finish(record, limit_);
    if (record.status != RowStatus::kOk && record.status != RowStatus::kIncorrect) context_.reset();
    return record;
  }

 private:
  OpExecutor inner_;
  ProcessGroup& group_;
  Seconds limit_;
  std::optional<RankContext> context_;
  std::int64_t repeat_ = 0;
};

}  // namespace

void remove_idle_gpus(std::vector<EnergyRecord>& energy, const std::string& device, std::int64_t ranks) {
  const auto detect_kind = [](const std::string& name) { return name.substr(0, name.find(':') + 1); };
  const auto read_number = [](const std::string& name) {
    return std::atoll(name.c_str() + name.find(':') + 1);
  };
  if (detect_kind(device).empty()) return;
  std::erase_if(energy, [&](const EnergyRecord& one) {
    return detect_kind(one.device) == detect_kind(device) &&
           read_number(one.device) >= read_number(device) + ranks;
  });
}

std::unique_ptr<CaseExecutor> make_group_executor(std::unique_ptr<CaseExecutor> inner, ProcessGroup& group,
                                                  std::vector<Warning> warnings,
                                                  std::optional<Seconds> timeout) {
  const Seconds limit = std::min(kEndTimeout, timeout.value_or(kEndTimeout));
  return std::make_unique<GroupExecutor>(std::move(inner), group, std::move(warnings), limit);
}

OpExecutor make_group_op_executor(OpExecutor inner, ProcessGroup& group, std::optional<Seconds> timeout) {
  const Seconds limit = std::min(kEndTimeout, timeout.value_or(kEndTimeout));
  return GroupOpExecutor(std::move(inner), group, limit);
}

}  // namespace gpubench
