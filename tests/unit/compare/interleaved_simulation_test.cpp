// Rates of wrong verdicts on sides in interleaved runs that are compared after every round. docs/comparing.md
// has the rates of 10,000 interleaved runs.

#include <cmath>
#include <cstddef>
#include <fstream>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "compare/comparison.h"
#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/noise.h"
#include "support/paths.h"

namespace gpubench::test::interleaved_simulation_test {
namespace {

using Series = std::vector<double>;

constexpr int kInterleaveds = 500;
constexpr std::size_t kEachRoundUpTo = 20;
constexpr std::size_t kMostRounds = 40;

/// A machine, independent of the program that runs on it.
struct Machine {
  std::string name;
  std::function<Series(Noise&)> slots;  ///< Logarithms of the times of successive processes.
};

Series independent(Noise& noise, const std::function<double(Noise&)>& slot) {
  Series slots(2 * kMostRounds);
  for (double& one : slots) one = slot(noise);
  return slots;
}

/// Changes at random between two speeds that differ by a factor of two.
Series two_speeds(Noise& noise) {
  bool is_slow = false;
  return independent(noise, [&](Noise& chance) {
    is_slow = is_slow != (chance.uniform() < 0.3);
    return std::log(is_slow ? 2 : 1) + 0.005 * chance.normal();
  });
}

Series drifting(Noise& noise) {
  double state = 0;
  return independent(noise, [&](Noise& chance) { return state += 0.01 + 0.02 * chance.normal(); });
}

/// The second process of every round is slower.
Series second_slower(Noise& noise) {
  bool is_second = true;
  return independent(noise, [&](Noise& chance) {
    is_second = !is_second;
    return (is_second ? 0.1 : 0) + 0.005 * chance.normal();
  });
}

double spiky(Noise& noise) {
  return 0.03 * noise.normal() + (noise.uniform() < 0.3 ? std::log(1 + 9 * noise.uniform()) : 0);
}

/// Stretches of a recorded trace.
Series recorded(Noise& noise) {
  constexpr std::size_t kStretch = 12;
  std::ifstream in(fixtures_dir() + "/aa/mlp-cpu.txt");
  Series trace;
  for (double value = 0; in >> value;) trace.push_back(std::log(value));
  Series slots;
  while (slots.size() < 2 * kMostRounds) {
    const std::size_t start = noise.below(trace.size() - kStretch);
    slots.insert(slots.end(), &trace[start], &trace[start] + kStretch);
  }
  return slots;
}

const std::vector<Machine> kMachines{
    {"normal", [](Noise& noise) { return independent(noise, [](Noise& n) { return 0.1 * n.normal(); }); }},
    {"spikes", [](Noise& noise) { return independent(noise, spiky); }},
    {"two speeds", two_speeds},
    {"drift", drifting},
    {"second slower", second_slower},
    {"recorded", recorded}};

struct Sides {
  Series over;
  Series under;
};

/// Returns sides of which `over` takes `ratio` times as long. The order in each round is random.
Sides alternated(Noise& noise, const Series& slots, double ratio) {
  Sides sides;
  for (std::size_t round = 0; round < kMostRounds; ++round) {
    const std::size_t first = noise.below(2);
    sides.over.push_back(ratio * std::exp(slots[2 * round + first]));
    sides.under.push_back(std::exp(slots[2 * round + 1 - first]));
  }
  return sides;
}

/// Returns the rounds after which `is` first returns true for the outcome; 0 if never.
template <class Is>
std::size_t rounds_until(const Sides& sides, Is is) {
  for (std::size_t n = kFewestRounds; n <= kMostRounds; n += n < kEachRoundUpTo ? 1 : 5) {
    const std::span over(sides.over.data(), n);
    if (is(decide_outcome(ratio_of_rounds(over, {sides.under.data(), n})))) return n;
  }
  return 0;
}

bool is_ahead(Outcome outcome) { return outcome == Outcome::kBetter || outcome == Outcome::kWorse; }
bool is_equal(Outcome outcome) { return outcome == Outcome::kEqual; }

/// Returns the fraction of the interleaved runs in which `is` returns true within `rounds`.
template <class Is>
double rate(const Machine& machine, double ratio, Is is, std::size_t rounds = kMostRounds) {
  Noise noise(7);
  int found = 0;
  for (int i = 0; i < kInterleaveds; ++i) {
    const std::size_t after = rounds_until(alternated(noise, machine.slots(noise), ratio), is);
    if (after > 0 && after <= rounds) ++found;
  }
  return static_cast<double>(found) / kInterleaveds;
}

Machine normal(double scatter) {
  return {"normal", [scatter](Noise& noise) {
            return independent(noise, [&](Noise& n) { return scatter * n.normal() / std::sqrt(2.0); });
          }};
}

}  // namespace

TEST_CASE("at most 5 % of the interleaved runs of equal sides find a difference after any round") {
  for (const Machine& machine : kMachines) {
    const double found = rate(machine, 1, is_ahead);
    INFO(machine.name << ": " << found);
    CHECK(found <= 0.05);
  }
}

TEST_CASE("at most 5 % of the interleaved runs of sides that differ by the margin find them equal") {
  CHECK(rate(normal(0.02), 1.05, is_equal) <= 0.05);
  CHECK(rate(normal(0.1), 1 / 1.05, is_equal) <= 0.05);
}

TEST_CASE("a difference of 10 % is found at a scatter of 3 %, and large differences after few rounds") {
  CHECK(rate(normal(0.03), 1.1, is_ahead, 12) >= 0.95);
  CHECK(rate(normal(0.1), 1.1, is_ahead, 30) >= 0.9);
  CHECK(rate(normal(0.03), 2, is_ahead, 4) >= 0.95);
  CHECK(rate(normal(0.01), 1, is_equal, 7) >= 0.95);
}

}  // namespace gpubench::test::interleaved_simulation_test
