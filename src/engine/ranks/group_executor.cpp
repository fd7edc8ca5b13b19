#include "engine/ranks/group_executor.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

/// For the rank that failed first to be heard of, where others only say that they lost one.
constexpr Seconds kLongestSilence{5};
/// For ranks to end after the last epoch, or when they are told to: drivers take their time.
constexpr Seconds kLongestEnd{40};

/// Statuses that all ranks come to alike, from figures that they share.
bool is_common(RowStatus status) {
  return status == RowStatus::kDiverged || status == RowStatus::kInvalid || status == RowStatus::kWrong ||
         status == RowStatus::kInterrupted;
}

/// Whether the reason is that another machine did not answer any more.
bool is_silence(const std::string& reason) {
  const auto says = [&](int error) { return reason.find(std::strerror(error)) != std::string::npos; };
  return says(ETIMEDOUT) || says(EHOSTUNREACH);
}

/// One member's part of a row.
struct Part {
  CrewMember* member;
  std::optional<DoneMessage> done{};
  bool is_gone = false;

  bool is_over() const { return done || is_gone; }
  bool has_failed() const {
    return is_gone || (done && done->status != RowStatus::kOk && !is_common(done->status));
  }
  /// Whether the failure began there.
  bool is_cause() const {
    return is_gone || (has_failed() && done->reason.find(kExchangeFailed) == std::string::npos);
  }
  /// Whether another one is to blame, which it no longer heard of.
  bool is_witness() const { return has_failed() && !is_cause() && is_silence(done->reason); }
};

/// The parts of all members while rank 0's runs.
class Parts {
 public:
  explicit Parts(std::span<CrewMember> members) {
    for (CrewMember& member : members) all_.push_back({&member});
  }

  template <class Message>
  void start(const Json& plan, RankSeat seat, Crew& crew) {
    seat.listener = -1;
    for (Part& part : all_) {
      seat.rank = part.member->rank;
      seat.host = crew.address_for(part.member, seat.ranks);
      part.member->channel.send(to_line(ToRank(Message{plan, seat})));
    }
  }

  /// Takes what has come. Does not wait.
  void look() {
    for (Part& part : all_) {
      while (!part.is_over()) {
        const auto line = part.member->channel.next();
        if (!line) break;
        take(part, *line);
      }
      if (!part.is_over() && !part.member->channel.is_open()) part.is_gone = true;
    }
  }

  void wait(Seconds limit, bool (Parts::*is_enough)() const) {
    const Deadline deadline(limit);
    for (look(); !(this->*is_enough)() && !deadline.is_over(); look()) wait_for_any(descriptors(), deadline);
  }

  void abort() {
    for (Part& part : all_) {
      if (!part.is_over()) part.member->channel.send(to_line(ToRank(AbortMessage{})));
    }
    wait(kLongestEnd, &Parts::are_over);
    // Who does not even end is of no use any more.
    for (Part& part : all_) {
      if (!part.is_over()) part.member->channel.close();
    }
  }

  bool are_over() const { return std::ranges::all_of(all_, &Part::is_over); }
  bool have_cause() const { return std::ranges::any_of(all_, &Part::is_cause) || are_over(); }
  bool have_failed() const { return std::ranges::any_of(all_, &Part::has_failed); }

  std::vector<int> descriptors() const {
    std::vector<int> descriptors;
    for (const Part& part : all_) {
      if (!part.is_over()) descriptors.push_back(part.member->channel.descriptor());
    }
    return descriptors;
  }

  const std::vector<Part>& all() const { return all_; }

  /// Names of those whose part is not over.
  std::vector<std::string> unfinished() const {
    std::vector<std::string> names;
    for (const Part& part : all_) {
      if (!part.is_over()) names.push_back(part.member->name());
    }
    return names;
  }

 private:
  static void take(Part& part, const std::string& line) {
    try {
      FromRank message = from_rank(line);
      if (auto* done = std::get_if<DoneMessage>(&message)) part.done = std::move(*done);
    } catch (const Error&) {
      part.is_gone = true;
      part.member->channel.close();
    }
  }

  std::vector<Part> all_;
};

/// Of rank 0: ends it where another one fails.
class GroupControl : public RowControl {
 public:
  GroupControl(RowControl& outer, Parts& parts) : outer_(outer), parts_(parts) {}

  StopRequest stop_request() override { return outer_.stop_request(); }
  bool must_abort() override {
    parts_.look();
    return outer_.must_abort() || parts_.have_failed();
  }
  void add_wake_descriptors(std::vector<int>& to) const override {
    outer_.add_wake_descriptors(to);
    append(to, parts_.descriptors());
  }
  void steps_finished(std::int64_t count) override { outer_.steps_finished(count); }
  void epoch_finished(const EpochRecord& epoch) override { outer_.epoch_finished(epoch); }
  void waits_for_ranks(bool is_waiting) override { is_waiting_ = is_waiting; }

  bool is_waiting() const { return is_waiting_; }
  bool is_ended_by_user() { return outer_.must_abort(); }

 private:
  RowControl& outer_;
  Parts& parts_;
  bool is_waiting_ = false;
};

// What rows of the two kinds have of their own.

void take_failure(CaseRecord& record, const Part& part) {
  record.stopped_by = absent("the case ended as " + to_string(record.status));
  if (!part.done || !part.done->record) return;
  record.requested = part.done->record->requested;
  record.available = part.done->record->available;
}
void take_failure(OpRecord& record, const Part& /*part*/) { record.call_seconds.clear(); }

template <class Row>
void blame(Row& record, const Part& part) {
  const bool is_told = part.done.has_value();
  record.status = is_told ? part.done->status : RowStatus::kCrashed;
  record.status_reason = fmt::format(
      "{}: {}", part.member->name(),
      is_told ? part.done->reason : "its supervisor or its machine is not to be reached any more");
  if (is_told) record.last_lines = part.done->last_lines;
  take_failure(record, part);
}

/// Who was not where the others waited when the time was up.
std::string ranks_to_blame(const Parts& parts, const GroupControl& control) {
  std::vector<std::string> late;
  if (!control.is_waiting()) late.emplace_back("rank 0");
  for (const Part& part : parts.all()) {
    if (!part.done || !part.done->is_waiting) late.push_back(part.member->name());
  }
  if (late.empty()) return "; all ranks were waiting for each other: see the network between them";
  return late.size() == parts.all().size() + 1 ? "" : "; the others waited for " + join(late);
}

/// Waits for the parts of all, for `limit` once rank 0's has ended well, ends those that cannot end by
/// themselves, and gives the row the status of the rank whose failure came first.
template <class Row>
void conclude(Row& record, Parts& parts, GroupControl& control, const Crew& crew, Seconds limit) {
  const bool is_users = control.is_ended_by_user() && !parts.have_failed();
  const bool is_fine =
      !parts.have_failed() && !is_users && (record.status == RowStatus::kOk || is_common(record.status));
  if (is_fine) parts.wait(limit, &Parts::are_over);
  const std::vector<std::string> unfinished = parts.unfinished();
  const bool is_own_cause = !is_fine && !is_users && !parts.have_failed() &&
                            record.status_reason.find(kExchangeFailed) == std::string::npos;
  if (!is_fine && !is_users && !is_own_cause) parts.wait(kLongestSilence, &Parts::have_cause);
  auto cause = std::ranges::find_if(parts.all(), &Part::is_cause);
  // Where each says that it has lost another one, who heard nothing any more knows whom; the rest saw the end
  // of those who knew. Else rank 0's own words are as good as any, if it had any.
  const bool is_cut = record.status == RowStatus::kInterrupted;
  if (cause == parts.all().end()) cause = std::ranges::find_if(parts.all(), &Part::is_witness);
  if (cause == parts.all().end() && is_cut) cause = std::ranges::find_if(parts.all(), &Part::has_failed);
  const bool is_theirs = !is_own_cause && !is_users && cause != parts.all().end();
  parts.abort();
  if (is_theirs) {
    blame(record, *cause);
  } else if (is_fine && !unfinished.empty()) {
    record.status = RowStatus::kTimeout;
    record.status_reason =
        fmt::format("{}: not finished {} after rank 0 (--timeout)", join(unfinished), duration_text(limit));
  } else if (record.status == RowStatus::kTimeout) {
    record.status_reason += ranks_to_blame(parts, control);
  } else if (!is_fine && !is_users && !is_cut) {
    record.status_reason = "rank 0: " + record.status_reason;
  }
  record.status_reason += crew.owner_of_address_in(record.status_reason);
}

/// Seats of the groups of one run: each has a token of its own.
class Seats {
 public:
  explicit Seats(Crew& crew) : crew_(crew) {}

  /// Where the store of a group listens.
  FileDescriptor listen(int& port) const {
    return listen_at(port, crew_.launch().launcher == "gpubench" ? Reach::kMachine : Reach::kNetwork);
  }

  RankSeat next(std::int64_t ranks, int port, int listener) {
    RankSeat seat;
    seat.ranks = ranks;
    seat.host = crew_.address_for(nullptr, ranks);
    seat.port = port;
    seat.listener = listener;
    seat.token = fmt::format("{} {}", crew_.launch().job, ++count_);
    return seat;
  }

 private:
  Crew& crew_;
  std::int64_t count_ = 0;
};

/// It is not tried: it would wait for the one that is gone.
template <class Row>
Row without(Row record, const std::string& gone) {
  record.status = RowStatus::kError;
  record.status_reason =
      gone + ": is gone since an earlier row; start all ranks again, with --resume for what is missing";
  return record;
}

class GroupExecutor : public CaseExecutor {
 public:
  GroupExecutor(std::unique_ptr<CaseExecutor> inner, Crew& crew, std::vector<Warning> warnings, Seconds limit)
      : inner_(std::move(inner)), crew_(crew), warnings_(std::move(warnings)), seats_(crew), limit_(limit) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    if (c.ranks == 1) return inner_->run(c, control);
    if (const std::string gone = crew_.gone(c.ranks); !gone.empty()) return without(describe(c, {}), gone);
    int port = 0;
    const FileDescriptor listener = seats_.listen(port);
    Case own = c;
    own.seat = seats_.next(c.ranks, port, listener.get());
    Parts parts(crew_.members(c.ranks));
    parts.start<CaseMessage>(to_json(c), *own.seat, crew_);
    GroupControl group_control(control, parts);
    CaseRecord record = inner_->run(own, group_control);
    conclude(record, parts, group_control, crew_, limit_);
    leave_out_idle_gpus(record.energy, c.device, crew_.ranks_on(crew_.own_host(), c.ranks));
    add_others(record, parts);
    append(record.warnings, warnings_);
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    return inner_->run_pilot(c, limit, control);
  }

 private:
  /// What happened on the other ranks' machines, and what their meters say.
  void add_others(CaseRecord& record, const Parts& parts) const {
    drop_load_of_ranks(record.warnings, crew_.own_host());
    for (const Part& part : parts.all()) {
      if (!part.done || !part.done->record) continue;
      std::vector<Warning> warnings = part.done->record->warnings;
      drop_load_of_ranks(warnings, part.member->host);
      for (Warning& warning : warnings) {
        warning.text = part.member->name() + ": " + warning.text;
        add_once(record.warnings, warning);
      }
      std::vector<EnergyRecord> measured = part.done->record->energy;
      leave_out_idle_gpus(measured, record.device, crew_.ranks_on(part.member->host, record.ranks));
      for (EnergyRecord& energy : measured) {
        energy.part = part.member->host + (energy.part.empty() ? "" : " " + energy.part);
        record.energy.push_back(std::move(energy));
      }
    }
  }

  /// Each rank takes the others of its machine for foreign processes.
  void drop_load_of_ranks(std::vector<Warning>& warnings, const std::string& host) const {
    if (crew_.ranks_on(host, crew_.size()) == 1) return;
    std::erase_if(warnings, [](const Warning& warning) {
      return warning.kind == "other-processes" || warning.kind == "core-wait";
    });
  }

  std::unique_ptr<CaseExecutor> inner_;
  Crew& crew_;
  std::vector<Warning> warnings_;
  Seats seats_;
  Seconds limit_;
};

/// Ranks stay together from row to row, until one is lost.
class GroupOpExecutor : public OpExecutor {
 public:
  GroupOpExecutor(std::unique_ptr<OpExecutor> inner, Crew& crew, Seconds limit)
      : inner_(std::move(inner)), crew_(crew), seats_(crew), limit_(limit) {}

  OpRecord run(const OpWork& work, RowControl& control) override {
    if (const std::string gone = crew_.gone(work.ranks); !gone.empty()) return without(describe(work), gone);
    OpWork own = work;
    own.seat = seat_for(work);
    Parts parts(crew_.members(work.ranks));
    parts.start<CollectiveMessage>(to_json(work), *own.seat, crew_);
    GroupControl group_control(control, parts);
    OpRecord record = inner_->run(own, group_control);
    conclude(record, parts, group_control, crew_, limit_);
    const bool is_lost = record.status != RowStatus::kOk && record.status != RowStatus::kWrong;
    if (is_lost) seat_.reset();
    return record;
  }

 private:
  const RankSeat& seat_for(const OpWork& work) {
    if (seat_ && seat_->ranks == work.ranks && repeat_ == work.repeat) return *seat_;
    int port = 0;
    listener_ = seats_.listen(port);
    repeat_ = work.repeat;
    return seat_.emplace(seats_.next(work.ranks, port, listener_.get()));
  }

  std::unique_ptr<OpExecutor> inner_;
  Crew& crew_;
  Seats seats_;
  Seconds limit_;
  FileDescriptor listener_;
  std::optional<RankSeat> seat_;
  std::int64_t repeat_ = 0;
};

}  // namespace

void leave_out_idle_gpus(std::vector<EnergyRecord>& energy, const std::string& device, std::int64_t ranks) {
  const auto kind_of = [](const std::string& name) { return name.substr(0, name.find(':') + 1); };
  const auto number_of = [](const std::string& name) {
    return std::atoll(name.c_str() + name.find(':') + 1);
  };
  if (kind_of(device).empty()) return;
  std::erase_if(energy, [&](const EnergyRecord& one) {
    return kind_of(one.device) == kind_of(device) && number_of(one.device) >= number_of(device) + ranks;
  });
}

std::unique_ptr<CaseExecutor> make_group_executor(std::unique_ptr<CaseExecutor> inner, Crew& crew,
                                                  std::vector<Warning> warnings,
                                                  std::optional<Seconds> timeout) {
  const Seconds limit = std::min(kLongestEnd, timeout.value_or(kLongestEnd));
  return std::make_unique<GroupExecutor>(std::move(inner), crew, std::move(warnings), limit);
}

std::unique_ptr<OpExecutor> make_group_op_executor(std::unique_ptr<OpExecutor> inner, Crew& crew,
                                                   std::optional<Seconds> timeout) {
  const Seconds limit = std::min(kLongestEnd, timeout.value_or(kLongestEnd));
  return std::make_unique<GroupOpExecutor>(std::move(inner), crew, limit);
}

}  // namespace gpubench
