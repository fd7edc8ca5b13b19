#include "power/trace/epoch_states.h"

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <string>

namespace gpubench::power {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

std::span<const PowerSample> samples_in(const PowerTrace& trace, const TimeSpan& window) {
  const auto& all = trace.samples;
  const auto begin = std::partition_point(
      all.begin(), all.end(), [&](const PowerSample& sample) { return sample.time < window.begin; });
  const auto end = std::partition_point(begin, all.end(),
                                        [&](const PowerSample& sample) { return sample.time <= window.end; });
  return {begin, end};
}

/// Figures of one kind within an epoch.
struct Figures {
  double lowest = kNone;
  double highest = kNone;
  double sum = 0;
  double count = 0;

  template <class T>
  void add(const Reading<T>& reading) {
    if (!reading.has_value()) return;
    const double value = reading.value().value;
    lowest = count == 0 ? value : std::min(lowest, value);
    highest = count == 0 ? value : std::max(highest, value);
    sum += value;
    ++count;
  }
  double mean() const { return count > 0 ? sum / count : kNone; }
};

void add_words(const std::string& words, std::set<std::string>& known, std::string& text) {
  for (std::size_t begin = 0; begin < words.size();) {
    const std::size_t end = std::min(words.find(", ", begin), words.size());
    const std::string word = words.substr(begin, end - begin);
    if (known.insert(word).second) text += (text.empty() ? "" : ", ") + word;
    begin = end + 2;
  }
}

}  // namespace

void describe_epochs(EnergyRecord& energy, const PowerTrace& trace, const std::vector<TimeSpan>& epochs) {
  for (const TimeSpan& epoch : epochs) {
    Figures celsius;
    Figures hertz;
    Figures limit;
    std::set<std::string> known;
    std::string throttle;
    for (const PowerSample& sample : samples_in(trace, epoch)) {
      celsius.add(sample.reading.temperature);
      hertz.add(sample.reading.clock);
      limit.add(sample.reading.limit);
      add_words(sample.reading.throttle, known, throttle);
    }
    energy.epoch_celsius.push_back(celsius.highest);
    energy.epoch_hertz.push_back(hertz.mean());
    energy.epoch_limit_watts.push_back(limit.lowest);
    energy.epoch_throttle.push_back(throttle);
  }
}

}  // namespace gpubench::power
