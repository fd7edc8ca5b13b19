#include "simulation/changes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gpubench/core/stats/change_points.h"
#include "simulation/machine.h"
#include "simulation/rate.h"
#include "support/noise.h"

namespace gpubench::test {
namespace {

using Runs = Series;

constexpr double kLevel = 0.05;
constexpr double kMostFalseAlarms = 0.05;
constexpr std::size_t kSeriesOfMachine = 10;
constexpr double kStep = 3;  // Size of a change, in standard deviations.

/// Returns the cached detector for an autocorrelation. Creating its references takes most of the time.
ChangeDetector& detector(double autocorrelation) {
  static std::map<double, ChangeDetector> all;
  return all.try_emplace(autocorrelation, autocorrelation).first->second;
}

/// Returns values on two levels, 5 standard deviations apart. Before each run the level is redrawn with
/// probability `redraw`, and is then slow with probability `slow`.
Runs two_speeds(Noise& noise, std::size_t count, double slow, double redraw) {
  Runs values;
  bool is_slow = noise.uniform() < slow;
  for (std::size_t i = 0; i < count; ++i) {
    if (noise.uniform() < redraw) is_slow = noise.uniform() < slow;
    values.push_back(noise.normal() + (is_slow ? 5 : 0));
  }
  return values;
}

/// Returns white noise in which 5 % of the values are 5 to 10 standard deviations higher.
Runs spikes(Noise& noise, std::size_t count) {
  Runs values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(noise.normal() + (noise.uniform() < 0.05 ? 5 + 5 * noise.uniform() : 0));
  return values;
}

struct Kind {
  std::string name;
  std::function<Runs(Noise&, std::size_t)> make;
  bool is_promised = true;  ///< The limit kMostFalseAlarms applies.
  double shared = 0;        ///< Fraction of the variance that all series of a machine share.
};

Kind autoregressive(const std::string& name, double autocorrelation, bool is_promised = true) {
  return {name,
          [=](Noise& noise, std::size_t count) { return autoregression(noise, count, autocorrelation); },
          is_promised};
}

Kind shared_autoregressive(const std::string& name, double autocorrelation, double shared) {
  Kind kind = autoregressive(name, autocorrelation);
  kind.shared = shared;
  return kind;
}

Kind switching(const std::string& name, double slow, double redraw, bool is_promised = true) {
  return {name, [=](Noise& noise, std::size_t count) { return two_speeds(noise, count, slow, redraw); },
          is_promised};
}

std::vector<Kind> kinds() {
  return {autoregressive("white", 0),
          autoregressive("AR(1) 0.3", 0.3),
          autoregressive("AR(1) 0.6", 0.6),
          switching("two speeds, 50 % slow", 0.5, 1),
          switching("two speeds, 20 % slow", 0.2, 1),
          {"spikes", spikes},
          shared_autoregressive("AR(1) 0.6, half of it shared", 0.6, 0.5),
          shared_autoregressive("AR(1) 0.6, all of it shared", 0.6, 1),
          autoregressive("AR(1) 0.8", 0.8, false),
          switching("two speeds that last, 50 % slow", 0.5, 0.5, false)};
}

constexpr std::size_t kLongest = 60;

/// Returns series of 8 to kLongest runs. All end with the same run.
std::vector<Runs> draw_machine(Noise& noise, const Kind& kind, std::size_t series) {
  const Runs common = kind.shared > 0 ? kind.make(noise, kLongest) : Runs(kLongest);
  std::vector<Runs> machine;
  for (std::size_t i = 0; i < series; ++i) {
    Runs runs = kind.make(noise, 8 + noise.below(kLongest - 7));
    for (std::size_t j = 0; j < runs.size(); ++j)
      runs[j] =
          std::sqrt(1 - kind.shared) * runs[j] + std::sqrt(kind.shared) * common[kLongest - runs.size() + j];
    machine.push_back(std::move(runs));
  }
  return machine;
}

/// False alarms by class of length, and in total.
struct Tally {
  std::array<double, 4> alarms{};
  std::array<double, 4> counts{};
  double autocorrelations = 0;  ///< Sum of the estimates of all series.

  void add(std::size_t place, bool is_alarm, double autocorrelation) {
    for (const std::size_t i : {place, alarms.size() - 1}) {
      alarms[i] += is_alarm ? 1 : 0;
      counts[i] += 1;
    }
    autocorrelations += autocorrelation;
  }
  double rate(std::size_t place) const { return counts[place] > 0 ? alarms[place] / counts[place] : 0; }
  double total() const { return rate(alarms.size() - 1); }
  double autocorrelation() const { return autocorrelations / counts.back(); }
};

/// Returns the class of a length: 8 to 12, 13 to 24, or 25 to 60.
std::size_t length_class(std::size_t length) { return length <= 12 ? 0 : length <= 24 ? 1 : 2; }

Tally count_false_alarms(const Kind& kind, std::size_t series, const Draws& draws) {
  Noise noise(draws.seed);
  Tally tally;
  for (std::size_t done = 0; done < static_cast<std::size_t>(draws.count); done += series) {
    const std::vector<Runs> machine = draw_machine(noise, kind, series);
    const double autocorrelation = pooled_autocorrelation(machine);
    ChangeDetector& detect = detector(autocorrelation);
    for (const Runs& runs : machine)
      tally.add(length_class(runs.size()), !detect.find(runs, kLevel).empty(), autocorrelation);
  }
  return tally;
}

bool print_false_alarms(const Draws& draws) {
  bool is_kept = true;
  std::vector<std::vector<std::string>> rows;
  for (const Kind& kind : kinds()) {
    const Tally ten = count_false_alarms(kind, kSeriesOfMachine, draws);
    const Tally one = count_false_alarms(kind, 1, draws);
    rows.push_back({kind.name, percent(ten.rate(0)), percent(ten.rate(1)), percent(ten.rate(2)),
                    percent(ten.total()), fmt::format("{:.2f}", ten.autocorrelation()), percent(one.total()),
                    fmt::format("{:.2f}", one.autocorrelation())});
    if (kind.is_promised) is_kept = is_kept && ten.total() <= kMostFalseAlarms;
  }
  print_table(
      {"noise", "8 to 12 runs", "13 to 24", "25 to 60", "8 to 60", "estimate", "single series", "estimate"},
      rows);
  return is_kept;
}

/// A step of kStep standard deviations.
struct Change {
  std::size_t before = 0;   ///< Runs before the step.
  std::size_t after = 0;    ///< Runs after the step.
  std::size_t changed = 1;  ///< Number of the kSeriesOfMachine series with the step.
};

struct Found {
  double any = 0;   ///< Fraction of the changes that are found.
  double near = 0;  ///< Fraction of the found changes that are within one run of the true position.
};

Found find_changes(double autocorrelation, const std::function<Change(Noise&)>& draw_change,
                   const Draws& draws) {
  Noise noise(draws.seed);
  Found found;
  double count = 0;
  while (count < draws.count) {
    const Change change = draw_change(noise);
    std::vector<Runs> machine;
    for (std::size_t i = 0; i < kSeriesOfMachine; ++i) {
      Runs runs = autoregression(noise, change.before + change.after, autocorrelation);
      for (std::size_t j = change.before; i < change.changed && j < runs.size(); ++j) runs[j] += kStep;
      machine.push_back(runs);
    }
    ChangeDetector& detect = detector(pooled_autocorrelation(machine));
    for (std::size_t i = 0; i < change.changed; ++i, ++count) {
      const std::vector<ChangePoint> changes = detect.find(machine[i], kLevel);
      if (changes.empty()) continue;
      found.any += 1;
      const double off = static_cast<double>(changes[0].position) - static_cast<double>(change.before);
      found.near += std::abs(off) <= 1 ? 1 : 0;
    }
  }
  return {found.any / count, found.near / std::max(1.0, found.any)};
}

constexpr double kAutocorrelations[] = {0, 0.3, 0.6};

bool print_power_in_middle(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  bool is_kept = true;
  for (const std::size_t changed : {std::size_t{1}, kSeriesOfMachine}) {
    for (const bool is_centred : {true, false}) {
      rows.push_back(
          {fmt::format("{} of 10 series, {}", changed, is_centred ? "after 10 runs" : "after 5 to 15 runs")});
      for (const double autocorrelation : kAutocorrelations) {
        const Found found = find_changes(
            autocorrelation,
            [&](Noise& noise) {
              const std::size_t before = is_centred ? 10 : 5 + noise.below(11);
              return Change{before, 20 - before, changed};
            },
            draws);
        rows.back().push_back(fmt::format("{}, {}", percent(found.any), percent(found.near)));
        if (changed == 1) is_kept = is_kept && found.any >= (autocorrelation < 0.5 ? 0.9 : 0.8);
      }
    }
  }
  print_table({"step of 3 SD in 20 runs", "white", "AR(1) 0.3", "AR(1) 0.6"}, rows);
  return is_kept;
}

void print_power_of_recent(const Draws& draws) {
  std::vector<std::vector<std::string>> rows;
  for (const std::size_t before : {10u, 17u, 27u}) {
    for (const std::size_t after : {3u, 4u, 5u}) {
      rows.push_back({fmt::format("{} runs, then {}", before, after)});
      for (const double autocorrelation : kAutocorrelations) {
        const Found found = find_changes(
            autocorrelation,
            [&](Noise&) {
              return Change{before, after, 1};
            },
            draws);
        rows.back().push_back(fmt::format("{}, {}", percent(found.any), percent(found.near)));
      }
    }
  }
  print_table({"recent step of 3 SD", "white", "AR(1) 0.3", "AR(1) 0.6"}, rows);
}

}  // namespace

bool print_changes(const Draws& draws) {
  bool is_kept = print_false_alarms(draws);
  is_kept = print_power_in_middle(draws) && is_kept;
  print_power_of_recent(draws);
  return is_kept;
}

}  // namespace gpubench::test
