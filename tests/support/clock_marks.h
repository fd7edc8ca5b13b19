#pragma once
// Marks of a synchronous device.

#include <map>

#include "gpubench/device.h"

namespace gpubench::test {

class ClockMarks : public DeviceMarks {
 public:
  explicit ClockMarks(const Clock& clock) : clock_(clock) {}

  void mark(std::size_t number) override { times_[number] = clock_.now(); }

  Measured<Seconds> between(std::size_t from, std::size_t to) const override {
    if (is_silent) return missing("no marks");
    return times_.at(to) - times_.at(from);
  }

  bool is_silent = false;

 private:
  const Clock& clock_;
  std::map<std::size_t, Seconds> times_;
};

}  // namespace gpubench::test
