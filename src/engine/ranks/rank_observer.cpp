#include "engine/ranks/process_group.h"

#include <poll.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

/// Wait for the rank that failed first, if others only report lost connections.
constexpr Seconds kReportTimeout{5};
/// Wait for ranks to end after rank 0 or an abort. Drivers can take long to shut down.
constexpr Seconds kEndTimeout{40};

/// Also accepts statuses that all ranks of a row share, such as diverged or interrupted.
bool has_succeeded(RowStatus status) {
  return status == RowStatus::kOk || status == RowStatus::kDiverged || status == RowStatus::kInvalid ||
         status == RowStatus::kIncorrect || status == RowStatus::kInterrupted;
}

/// The part of a row that another rank runs.
struct PeerPart {
  PeerRank* peer;
  std::optional<RowReply> reply{};  ///< A `crashed` row if its supervisor cannot reply.

  void fail(const std::string& reason) {
    get_row(reply.emplace().record).status = RowStatus::kCrashed;
    get_row(reply->record).status_reason = reason;
  }
  bool is_over() const { return reply.has_value(); }
  bool has_failed() const { return reply && !has_succeeded(get_row(reply->record).status); }
  /// Returns true for a failure other than a lost connection to another rank.
  bool is_cause() const { return has_failed() && !reply->has_lost_connection; }
};

/// A row on all ranks. As control of rank 0's part, it aborts that part if another rank fails.
class GroupRow : public RowControl {
 public:
  /// Starts the parts of all `peers`.
  GroupRow(RowControl& outer, std::span<PeerRank> peers, RowRequest request, const RankContext& own)
      : outer_(outer) {
    request.rank_context = own;
    request.rank_context->listener = -1;
    for (PeerRank& peer : peers) {
      request.rank_context->rank = peer.hello.rank;
      peer.channel.send(to_line(Request(request)));
      parts_.push_back({&peer});
    }
  }

  StopRequest stop_request() override { return outer_.stop_request(); }
  bool must_abort() override {
    receive();
    return outer_.must_abort() || have_failed();
  }
  std::vector<int> wake_descriptors() const override {
    std::vector<int> all = outer_.wake_descriptors();
    append(all, descriptors());
    return all;
  }
  void steps_finished(std::int64_t count) override { outer_.steps_finished(count); }
  void epoch_finished(const EpochRecord& epoch) override { outer_.epoch_finished(epoch); }
  void connection_lost() override { has_lost_connection_ = true; }

  const std::vector<PeerPart>& parts() const { return parts_; }

  /// Ends all parts, at most `limit` after rank 0's success, and completes rank 0's record. A lost connection
  /// is reported only if no rank reports another failure.
  void finish(Result& result, Seconds limit) {
    RowRecord& record = get_row(result);
    const bool is_aborted = outer_.must_abort() && !have_failed();
    const bool is_own_failure = !has_succeeded(record.status) && !has_lost_connection_;
    const bool may_blame_peers = !is_aborted && !is_own_failure;
    if (may_blame_peers) {
      if (!has_lost_connection_ && !have_failed()) wait(limit, &GroupRow::are_over);
      if (has_lost_connection_ || have_failed()) wait(kReportTimeout, &GroupRow::have_cause);
    }
    auto failed = std::ranges::find_if(parts_, &PeerPart::is_cause);
    if (failed == parts_.end() && !has_lost_connection_)
      failed = std::ranges::find_if(parts_, &PeerPart::has_failed);
    std::vector<std::string> unfinished;
    for (const PeerPart& part : parts_) {
      if (!part.is_over()) unfinished.push_back(part.peer->name());
    }
    const PeerPart* const blamed = may_blame_peers && failed != parts_.end() ? &*failed : nullptr;
    abort();
    if (blamed != nullptr) {
      copy_failure(result, *blamed);
    } else if (is_own_failure || has_lost_connection_) {
      // A timeout applies to the whole row, not to rank 0.
      if (record.status != RowStatus::kTimeout) record.status_reason = "rank 0: " + record.status_reason;
    } else if (!is_aborted && !unfinished.empty()) {
      record.status = RowStatus::kTimeout;
      record.status_reason =
          fmt::format("{}: not finished {} after rank 0 (--timeout)", join(unfinished), duration_text(limit));
    }
  }

 private:
  bool are_over() const { return std::ranges::all_of(parts_, &PeerPart::is_over); }
  bool have_failed() const { return std::ranges::any_of(parts_, &PeerPart::has_failed); }
  bool have_cause() const { return std::ranges::any_of(parts_, &PeerPart::is_cause) || are_over(); }

  /// Processes received messages. Does not wait.
  void receive() {
    for (PeerPart& part : parts_) {
      Channel& channel = part.peer->channel;
      try {
        while (!part.is_over()) {
          const auto line = channel.next();
          if (!line) break;
          Reply message = reply_from(*line);
          if (auto* reply = std::get_if<RowReply>(&message)) part.reply = std::move(*reply);
          if (auto* error = std::get_if<ErrorReply>(&message)) part.fail(error->message);
        }
      } catch (const Error& error) {
        part.fail(error.what());
        channel.close();
      }
      if (!part.is_over() && !channel.is_open()) part.fail("lost connection to its supervisor");
    }
  }

  void wait(Seconds limit, bool (GroupRow::*is_enough)() const) {
    const Deadline deadline(limit);
    for (receive(); !(this->*is_enough)() && !deadline.is_over(); receive()) {
      auto all = mapped(descriptors(), [](int descriptor) { return pollfd{descriptor, POLLIN, 0}; });
      poll(all.data(), static_cast<nfds_t>(all.size()), deadline.milliseconds());
    }
  }

  void abort() {
    for (PeerPart& part : parts_) {
      if (!part.is_over()) part.peer->channel.send(to_line(Request(AbortMessage{})));
    }
    wait(kEndTimeout, &GroupRow::are_over);
    for (PeerPart& part : parts_) {
      if (!part.is_over()) part.peer->channel.close();
    }
  }

  std::vector<int> descriptors() const {
    std::vector<int> descriptors;
    for (const PeerPart& part : parts_) {
      if (!part.is_over()) descriptors.push_back(part.peer->channel.descriptor());
    }
    return descriptors;
  }

  static void copy_failure(Result& result, const PeerPart& part) {
    RowRecord& record = get_row(result);
    const RowRecord& failed = get_row(part.reply->record);
    record.status = failed.status;
    record.status_reason = part.peer->name() + ": " + failed.status_reason;
    record.stderr_tail = failed.stderr_tail;
    if (auto* const operation = std::get_if<OpRecord>(&result)) return operation->call_seconds.clear();
    auto& of_case = std::get<CaseRecord>(result);
    of_case.stopped_by = missing("the case ended as " + to_string(record.status));
    of_case.requested = std::get<CaseRecord>(part.reply->record).requested;
    of_case.available = std::get<CaseRecord>(part.reply->record).available;
  }

  RowControl& outer_;
  std::vector<PeerPart> parts_;
  bool has_lost_connection_ = false;  // Rank 0 lost a connection.
};

class RankObserver : public Observer {
 public:
  RankObserver(ProcessGroup& group, std::vector<Warning> warnings, Seconds limit)
      : group_(group), warnings_(std::move(warnings)), limit_(limit) {}

  std::optional<Result> before(Work& work, const Result& planned, RowControl*& control) override {
    const std::int64_t ranks = std::visit([](const auto& row) { return row.asked.ranks; }, work);
    const bool is_case = std::holds_alternative<Case>(work);
    if (is_case && ranks == 1) return std::nullopt;
    if (const std::string lost = group_.lost_rank(ranks); !lost.empty()) {
      Result row = planned;
      get_row(row).status = RowStatus::kError;
      get_row(row).status_reason =
          lost +
          ": connection lost in an earlier row; restart all ranks with --resume to run the missing rows";
      return row;
    }
    // Collectives keep their group from row to row until a rank is lost. Each case gets a new group.
    if (is_case || !context_ || context_->ranks != ranks || repeat_ != get_repeat(work))
      context_ = group_.next_context(ranks);
    repeat_ = get_repeat(work);
    std::visit([&](auto& row) { row.rank_context = context_; }, work);
    row_.emplace(*control, group_.peers(ranks), RowRequest{.work = to_json(work)}, *context_);
    control = &*row_;
    return std::nullopt;
  }

  void after(Result& result) override {
    if (!row_) return;
    row_->finish(result, limit_);
    if (auto* const record = std::get_if<CaseRecord>(&result)) {
      remove_idle_gpus(record->energy, record->device, group_.ranks_on(group_.own_host(), record->ranks));
      add_others(*record, row_->parts());
      append(record->warnings, warnings_);
    }
    const RowStatus status = get_row(result).status;
    if (status != RowStatus::kOk && status != RowStatus::kIncorrect) context_.reset();
    row_.reset();
  }

 private:
  void add_others(CaseRecord& record, const std::vector<PeerPart>& parts) const {
    remove_load_of_ranks(record.warnings, group_.own_host());
    for (const auto& [peer, reply] : parts) {
      if (!reply) continue;
      const auto& part = std::get<CaseRecord>(reply->record);
      const std::string& host = peer->hello.host;
      std::vector<Warning> warnings = part.warnings;
      remove_load_of_ranks(warnings, host);
      for (Warning& warning : warnings) {
        warning.text = peer->name() + ": " + warning.text;
        add_once(record.warnings, warning);
      }
      std::vector<EnergyRecord> measured = part.energy;
      remove_idle_gpus(measured, record.device, group_.ranks_on(host, record.ranks));
      for (EnergyRecord& energy : measured) {
        energy.part = host + (energy.part.empty() ? "" : " " + energy.part);
        record.energy.push_back(std::move(energy));
      }
    }
  }

  /// Removes warnings that the other ranks of the same machine cause.
  void remove_load_of_ranks(std::vector<Warning>& warnings, const std::string& host) const {
    if (group_.ranks_on(host, group_.size()) == 1) return;
    std::erase_if(warnings, [](const Warning& warning) { return get_entry(warning.kind).comes_from_ranks; });
  }

  ProcessGroup& group_;
  std::vector<Warning> warnings_;
  Seconds limit_;
  std::optional<GroupRow> row_;         // Current row.
  std::optional<RankContext> context_;  // Context of the last row.
  std::int64_t repeat_ = 0;             // Repeat number of the last row.
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

std::unique_ptr<Observer> make_rank_observer(ProcessGroup& group, std::vector<Warning> warnings,
                                             std::optional<Seconds> timeout) {
  const Seconds limit = std::min(kEndTimeout, timeout.value_or(kEndTimeout));
  return std::make_unique<RankObserver>(group, std::move(warnings), limit);
}

}  // namespace gpubench
