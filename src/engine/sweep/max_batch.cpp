#include "engine/sweep/max_batch.h"

#include <algorithm>
#include <optional>

namespace gpubench {
namespace {

constexpr std::int64_t kResolution =
    100;  // Parts of the size; what fits varies by more from one try to the next.

class Search {
 public:
  Search(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
         const TellTrial& tell)
      : c_(c), samples_(samples), executor_(executor), control_(control), tell_(tell) {}

  MaxBatch run() {
    for (std::int64_t size = std::min(c_.batch_size, samples_); fits(size) && size < samples_;) {
      size = std::min(2 * size, samples_);
    }
    while (found_.failed_size > 0 && gap() > std::max<std::int64_t>(1, found_.batch_size / kResolution)) {
      if (control_.must_abort()) break;
      fits(found_.batch_size + gap() / 2);
    }
    found_.bytes_per_sample = slope();
    return found_;
  }

 private:
  std::int64_t gap() const { return found_.failed_size - found_.batch_size; }

  bool fits(std::int64_t size) {
    Case trial = c_;
    trial.batch_size = size;
    // The least that a pilot does: two steps.
    const PilotResult result = executor_.run_pilot(trial, Seconds{0}, control_);
    tell_(size, result);
    const bool is_fine = result.pilot.status == RowStatus::kOk;
    is_fine ? note_fit(size, result) : note_failure(size, result);
    return is_fine;
  }

  void note_fit(std::int64_t size, const PilotResult& result) {
    found_.batch_size = size;
    const Reading<Bytes>& device = result.pilot.peak_device;
    found_.peak = device.has_value() ? device : result.peak_host;
    if (!found_.peak.has_value()) return;
    last_ = {size, found_.peak.value()};
    if (!first_) first_ = last_;
  }

  void note_failure(std::int64_t size, const PilotResult& result) {
    found_.failed_size = size;
    found_.failure = to_string(result.pilot.status) + ": " + result.pilot.status_reason;
  }

  Reading<Bytes> slope() const {
    if (!first_ || last_->size == first_->size) return absent("fewer than two sizes fitted");
    return Bytes{(last_->peak - first_->peak).value / (last_->size - first_->size)};
  }

  struct Point {
    std::int64_t size;
    Bytes peak;
  };

  const Case& c_;
  std::int64_t samples_;
  CaseExecutor& executor_;
  RowControl& control_;
  const TellTrial& tell_;
  MaxBatch found_;
  std::optional<Point> first_;
  std::optional<Point> last_;
};

}  // namespace

MaxBatch find_max_batch(const Case& c, std::int64_t samples, CaseExecutor& executor, RowControl& control,
                        const TellTrial& tell) {
  return Search(c, samples, executor, control, tell).run();
}

}  // namespace gpubench
