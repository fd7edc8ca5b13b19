#include "engine/ranks/member_service.h"

#include <optional>
#include <utility>

namespace gpubench {
namespace {

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

DoneMessage done_of(const RowRecord& record, const MemberControl& control) {
  return {record.status, record.status_reason, record.last_lines, control.is_waiting(), {}};
}

DoneMessage run_part(const CaseMessage& message, const MemberWork& work, MemberControl& control) {
  Case c = work.case_in(message.plan);
  c.seat = message.seat;
  CaseRecord record = work.cases->run(c, control);
  DoneMessage done = done_of(record, control);
  done.record = std::move(record);
  return done;
}

DoneMessage run_part(const CollectiveMessage& message, const MemberWork& work, MemberControl& control) {
  OpWork row = work.collective_in(message.plan);
  row.seat = message.seat;
  return done_of(work.collectives->run(row, control), control);
}

}  // namespace

std::string serve_rows(Channel& channel, const MemberWork& work) {
  while (const auto line = channel.next(Deadline())) {
    const ToRank message = to_rank(*line);
    if (const auto* end = std::get_if<EndMessage>(&message)) return end->why;
    MemberControl control(channel);
    std::optional<DoneMessage> done;
    if (const auto* of_case = std::get_if<CaseMessage>(&message)) done = run_part(*of_case, work, control);
    if (const auto* row = std::get_if<CollectiveMessage>(&message)) done = run_part(*row, work, control);
    if (control.end()) return control.end()->why;
    if (done) channel.send(to_line(FromRank(std::move(*done))));  // Else an abort came too late.
  }
  return "rank 0 is gone";
}

}  // namespace gpubench
