#include "power/trace/pace.h"

#include <algorithm>

#include "power/trace/series.h"

namespace gpubench::power {
namespace {

constexpr double kFine = 0.010;     // At first, to see the changes of a fast source,
constexpr double kFineFor = 2;      // for so long,
constexpr double kUnknown = 0.050;  // and then until there are enough changes to tell.
constexpr double kShortest = 0.005;
constexpr double kLongest = 1;
constexpr std::size_t kEnough = 8;
constexpr std::size_t kRemembered = 32;

}  // namespace

void Pace::note(Seconds time, const PowerReading& reading, Seconds cost) {
  if (start_.has_value()) {
    cost_ += (cost.value - cost_) / static_cast<double>(++readings_);
  } else {
    start_ = time;  // The first reading loads what later ones use: its cost tells nothing of theirs.
  }
  last_ = time;
  if (reading.energy.has_value()) {
    note_value(time, reading.energy.value().value);
  } else if (reading.power.has_value()) {
    note_value(time, reading.power.value().value);
  }
}

void Pace::note_value(Seconds time, double value) {
  const bool is_changed = value_.has_value() && *value_ != value;
  value_ = value;
  if (!is_changed) return;
  if (changed_.has_value()) {
    const double between = (time - *changed_).value;
    if (between_changes_.size() < kRemembered) {
      between_changes_.push_back(between);
    } else {
      between_changes_[oldest_++ % kRemembered] = between;
    }
  }
  changed_ = time;
}

double Pace::wanted() const {
  // Equal neighbours make some times too long, so that the shorter ones tell of the source.
  if (between_changes_.size() >= kEnough) return quantile(between_changes_, 0.25) / 2;
  const bool is_new = !start_.has_value() || (last_ - *start_).value < kFineFor;
  return is_new ? kFine : kUnknown;
}

Seconds Pace::period() const { return {std::max(std::clamp(wanted(), kShortest, kLongest), cost_ / share_)}; }

}  // namespace gpubench::power
