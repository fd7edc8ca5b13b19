#include "engine/ranks/group_executor.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"

namespace gpubench {
namespace {

/// For the rank that failed first to be heard of, where others only say that they lost one.
constexpr Seconds kLongestSilence{5};
/// For ranks to end after the last epoch, or when they are told to: drivers take their time.
constexpr Seconds kLongestEnd{40};

/// What a worker says whose failure is another one's fault; see LostRank.
constexpr std::string_view kLost = "another rank is lost";

/// One member's part of a case.
struct Part {
  CrewMember* member;
  std::optional<CaseDoneMessage> done{};
  bool is_gone = false;

  bool is_over() const { return done || is_gone; }
  bool has_failed() const { return is_gone || (done && done->record.status != RowStatus::kOk); }
  /// Whether the failure began there.
  bool is_cause() const {
    return is_gone || (has_failed() && done->record.status_reason.find(kLost) == std::string::npos);
  }
};

/// The parts of all members while rank 0's runs.
class Parts {
 public:
  explicit Parts(std::span<CrewMember> members) {
    for (CrewMember& member : members) all_.push_back({&member});
  }

  void start(const Json& plan, RankSeat seat) {
    seat.listener = -1;
    for (Part& part : all_) {
      seat.rank = part.member->rank;
      part.member->channel.send(to_line(ToRank(CaseMessage{plan, seat})));
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

 private:
  static void take(Part& part, const std::string& line) {
    try {
      FromRank message = from_rank(line);
      if (auto* done = std::get_if<CaseDoneMessage>(&message)) part.done = std::move(*done);
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

void blame(CaseRecord& record, const std::string& name, RowStatus status, const std::string& reason) {
  record.status = status;
  record.status_reason = fmt::format("{}: {}", name, reason);
  record.stopped_by = absent("the case ended as " + to_string(status));
}

void blame(CaseRecord& record, const Part& part) {
  if (part.is_gone) {
    return blame(record, part.member->name(), RowStatus::kCrashed,
                 "its supervisor or its machine is not to be reached any more");
  }
  const CaseRecord& theirs = part.done->record;
  blame(record, part.member->name(), theirs.status, theirs.status_reason);
  record.last_lines = theirs.last_lines;
  record.requested = theirs.requested;
  record.available = theirs.available;
}

class GroupExecutor : public CaseExecutor {
 public:
  GroupExecutor(std::unique_ptr<CaseExecutor> inner, Crew& crew, std::vector<Warning> warnings)
      : inner_(std::move(inner)), crew_(crew), warnings_(std::move(warnings)) {}

  CaseRecord run(const Case& c, RowControl& control) override {
    if (c.ranks == 1) return inner_->run(c, control);
    if (const std::string gone = crew_.gone(c.ranks); !gone.empty()) return without(c, gone);
    int port = 0;
    const FileDescriptor listener = listen_at(port);
    Case own = c;
    own.seat = seat_of(c, port);
    own.seat->listener = listener.get();
    Parts parts(crew_.members(c.ranks));
    parts.start(to_json(c), *own.seat);
    GroupControl group_control(control, parts);
    CaseRecord record = inner_->run(own, group_control);
    conclude(record, parts, group_control);
    append(record.warnings, warnings_);
    return record;
  }

  PilotResult run_pilot(const Case& c, Seconds limit, RowControl& control) override {
    return inner_->run_pilot(c, limit, control);
  }

 private:
  RankSeat seat_of(const Case& c, int port) {
    const Launch& launch = crew_.launch();
    RankSeat seat;
    seat.ranks = c.ranks;
    seat.host = launch.host;
    seat.port = port;
    seat.token = fmt::format("{} {}", launch.job, ++cases_);
    return seat;
  }

  /// It is not tried: it would wait for the one that is gone.
  static CaseRecord without(const Case& c, const std::string& gone) {
    CaseRecord record = describe(c, {});
    record.status = RowStatus::kError;
    record.status_reason =
        gone + ": is gone since an earlier case; start all ranks again, with --resume for what is missing";
    return record;
  }

  void conclude(CaseRecord& record, Parts& parts, GroupControl& control) {
    const bool is_fine = record.status != RowStatus::kInterrupted && !parts.have_failed() &&
                         (record.status == RowStatus::kOk || is_common(record.status));
    if (is_fine) parts.wait(kLongestEnd, &Parts::are_over);
    const bool is_own_cause =
        !is_fine && !parts.have_failed() && record.status_reason.find(kLost) == std::string::npos;
    if (!is_fine && !is_own_cause) parts.wait(kLongestSilence, &Parts::have_cause);
    const bool is_users = control.is_ended_by_user() && !parts.have_failed();
    const auto cause = std::ranges::find_if(parts.all(), &Part::is_cause);
    const bool is_theirs = !is_own_cause && !is_users && cause != parts.all().end();
    const bool is_late = record.status == RowStatus::kTimeout;
    const Part* const blamed = is_theirs ? &*cause : nullptr;
    parts.abort();
    if (blamed != nullptr && !is_all_alike(record, *blamed)) {
      blame(record, *blamed);
    } else if (is_late) {
      record.status_reason += ranks_to_blame(parts, control);
    } else if (!is_fine && !is_users) {
      record.status_reason = "rank 0: " + record.status_reason;
    }
    add_others(record, parts);
  }

  /// Statuses that all ranks come to alike, from figures that they share.
  static bool is_common(RowStatus status) {
    return status == RowStatus::kDiverged || status == RowStatus::kInvalid;
  }

  static bool is_all_alike(const CaseRecord& record, const Part& part) {
    return part.done && part.done->record.status == record.status && is_common(record.status);
  }

  /// Who was not where the others waited when the time was up.
  static std::string ranks_to_blame(const Parts& parts, const GroupControl& control) {
    std::vector<std::string> late;
    if (!control.is_waiting()) late.emplace_back("rank 0");
    for (const Part& part : parts.all()) {
      if (!part.done || !part.done->is_waiting) late.push_back(part.member->name());
    }
    if (late.empty()) return "; all ranks were waiting for each other: see the network between them";
    return late.size() == parts.all().size() + 1 ? "" : "; the others waited for " + join(late);
  }

  /// What happened on the other ranks' machines, and what their meters say.
  void add_others(CaseRecord& record, const Parts& parts) const {
    drop_load_of_ranks(record.warnings, crew_.own_host());
    for (const Part& part : parts.all()) {
      if (!part.done) continue;
      std::vector<Warning> warnings = part.done->record.warnings;
      drop_load_of_ranks(warnings, part.member->host);
      for (Warning& warning : warnings) {
        warning.text = part.member->name() + ": " + warning.text;
        add_once(record.warnings, warning);
      }
      for (EnergyRecord energy : part.done->record.energy) {
        energy.part = part.member->host + (energy.part.empty() ? "" : " " + energy.part);
        record.energy.push_back(std::move(energy));
      }
    }
  }

  /// Each rank takes the others of its machine for foreign processes.
  void drop_load_of_ranks(std::vector<Warning>& warnings, const std::string& host) const {
    if (!crew_.has_company(host)) return;
    std::erase_if(warnings, [](const Warning& warning) { return warning.kind == "other-processes"; });
  }

  std::unique_ptr<CaseExecutor> inner_;
  Crew& crew_;
  std::vector<Warning> warnings_;
  std::int64_t cases_ = 0;
};

/// Of another rank: ends its part when rank 0 says so, or is gone.
class MemberControl : public RowControl {
 public:
  explicit MemberControl(Channel& channel) : channel_(channel) {}

  bool must_abort() override {
    while (const auto line = channel_.next()) {
      const ToRank message = to_rank(*line);
      if (const auto* end = std::get_if<EndMessage>(&message)) end_ = *end;
      is_aborted_ = true;
    }
    return is_aborted_ || !channel_.is_open();
  }
  void add_wake_descriptors(std::vector<int>& to) const override {
    if (channel_.is_open()) to.push_back(channel_.descriptor());
  }
  void waits_for_ranks(bool is_waiting) override { is_waiting_ = is_waiting; }

  bool is_waiting() const { return is_waiting_; }
  const std::optional<EndMessage>& end() const { return end_; }

 private:
  Channel& channel_;
  bool is_aborted_ = false;
  bool is_waiting_ = false;
  std::optional<EndMessage> end_;
};

}  // namespace

std::unique_ptr<CaseExecutor> make_group_executor(std::unique_ptr<CaseExecutor> inner, Crew& crew,
                                                  std::vector<Warning> warnings) {
  return std::make_unique<GroupExecutor>(std::move(inner), crew, std::move(warnings));
}

std::string serve_cases(Channel& channel, CaseExecutor& executor,
                        const std::function<Case(const Json&)>& case_in) {
  while (const auto line = channel.next(Deadline())) {
    const ToRank message = to_rank(*line);
    if (const auto* end = std::get_if<EndMessage>(&message)) return end->why;
    const auto* request = std::get_if<CaseMessage>(&message);
    if (request == nullptr) continue;  // An abort that came too late.
    Case c = case_in(request->plan);
    c.seat = request->seat;
    MemberControl control(channel);
    CaseDoneMessage done{executor.run(c, control), false};
    done.is_waiting = control.is_waiting();
    if (control.end()) return control.end()->why;
    channel.send(to_line(FromRank(std::move(done))));
  }
  return "rank 0 is gone";
}

}  // namespace gpubench
