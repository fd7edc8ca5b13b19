// How variation is split by level, and whether runs as planned reach the margin: with planted variances.

#include "gpubench/core/stats/repetitions.h"

#include <cmath>

#include "gpubench/core/stats/estimate.h"
#include "gpubench/core/stats/stats.h"
#include "support/catch.h"
#include "support/noise.h"

namespace gpubench::test {
namespace {

constexpr LevelCosts kCosts{.process = 3, .epoch = 1};
constexpr double kMargin = 0.02;

/// A first-order autoregression of variance 1.
class Course {
 public:
  Course(Noise& noise, double likeness) : noise_(noise), likeness_(likeness), state_(noise.normal()) {}
  double next() {
    const double now = state_;
    state_ = likeness_ * state_ + std::sqrt(1 - likeness_ * likeness_) * noise_.normal();
    return now;
  }

 private:
  Noise& noise_;
  double likeness_;
  double state_;
};

/// A machine whose long-run median is 1.
struct Machine {
  double within;
  double between;
  double likeness = 0;  ///< Of neighbouring epochs.

  Variation variation() const { return {within, between, between}; }

  ProcessTimes process(Noise& noise, std::int64_t epochs) const {
    const double level = std::exp(between * noise.normal());
    Course course(noise, likeness);
    ProcessTimes times;
    while (std::ssize(times.epochs) < epochs)
      times.epochs.push_back(level * std::exp(within * course.next()));
    return times;
  }

  std::vector<ProcessTimes> processes(Noise& noise, std::int64_t count, std::int64_t epochs) const {
    std::vector<ProcessTimes> all;
    while (std::ssize(all) < count) all.push_back(process(noise, epochs));
    return all;
  }

  bool is_within_margin(Noise& noise, std::int64_t count, std::int64_t epochs) const {
    std::vector<double> medians;
    for (const ProcessTimes& times : processes(noise, count, epochs))
      medians.push_back(median_of(times.epochs));
    return std::abs(median_of(medians) - 1) <= kMargin;
  }
};

struct Shares {
  double known = 0;  ///< Of runs within the margin, by a plan that knows the variation,
  double pilot = 0;  ///< that has it from five processes of three epochs,
  double most = 0;   ///< and by the upper limit of that.
  double limit = 0;  ///< Of pilots whose limit is not below the truth.
};

Shares simulate(const Machine& machine) {
  constexpr int kRuns = 1000;
  Noise noise(11);
  Shares shares;
  const RepetitionPlan known = plan_repetitions(machine.variation(), kCosts, kMargin);
  for (int run = 0; run < kRuns; ++run) {
    const Variation found = variation_of(machine.processes(noise, 5, 3)).value();
    const RepetitionPlan plan = plan_repetitions(found, kCosts, kMargin);
    shares.known += machine.is_within_margin(noise, known.processes, known.epochs);
    shares.pilot += machine.is_within_margin(noise, plan.processes, plan.epochs);
    shares.most += machine.is_within_margin(noise, plan.most_processes, plan.epochs);
    shares.limit += found.most_between >= machine.between;
  }
  for (double* share : {&shares.known, &shares.pilot, &shares.most, &shares.limit}) *share /= kRuns;
  return shares;
}

std::vector<ProcessTimes> three_processes(double shift) {
  return {{{0.99, 1.01}, {}}, {{0.99 - shift, 1.01 - shift}, {}}, {{0.99 + shift, 1.01 + shift}, {}}};
}

}  // namespace

TEST_CASE("scatter is split into that of epochs and that of processes") {
  const Variation variation = variation_of(three_processes(0.1)).value();
  CHECK(variation.within == approx(std::sqrt(2e-4)));
  CHECK(variation.between == approx(std::sqrt(0.01 - 2e-4 * variance_of_median(2))));
  // Chi-square of two degrees of freedom exceeds 0.446 in 80 %.
  CHECK(variation.most_between > 0.98 * std::sqrt(0.01 * 2 / 0.446));
  CHECK(variation.most_between < 1.02 * std::sqrt(0.01 * 2 / 0.446));
}

TEST_CASE(
    "processes that differ by no more than their epochs explain have none of their own, up to a limit") {
  const Variation variation = variation_of(three_processes(0.009)).value();
  CHECK(variation.between == 0);
  CHECK(variation.most_between > 0.01);
  const RepetitionPlan plan = plan_repetitions(variation, kCosts, kMargin);
  CHECK(plan.most_processes >= plan.processes);
  CHECK(plan.processes >= kLeastProcesses);
}

TEST_CASE("the blocks of one epoch tell how epochs scatter, whatever is slower in each of them") {
  Noise noise(5);
  for (const double likeness : {0.0, 0.6}) {
    double sum = 0;
    constexpr int kPilots = 200;
    for (int pilot = 0; pilot < kPilots; ++pilot) {
      std::vector<ProcessTimes> processes(5);
      for (ProcessTimes& process : processes) {
        Course course(noise, likeness);
        double epoch = 0;
        for (int block = 0; block < 10; ++block) {
          process.blocks.push_back(0.1 * (1 + 0.1 * course.next()) + (block == 0 ? 0.2 : 0));
          epoch += process.blocks.back();
        }
        process.epochs = {epoch};
      }
      sum += variation_of(processes).value().within / kPilots;
    }
    // Of ten such blocks in a row, over an epoch of 1.2.
    const double truth = (likeness > 0 ? 0.0571 : 0.0316) / 1.2;
    INFO(likeness << ": " << sum);
    CHECK(sum > 0.85 * truth);
    CHECK(sum < 1.25 * truth);
  }
}

TEST_CASE("what does not tell the variation says why") {
  CHECK_THAT(variation_of(std::vector<ProcessTimes>(2)).reason(), contains_text("takes 3 of them"));
  CHECK_THAT(variation_of(std::vector<ProcessTimes>(3)).reason(), contains_text("not above 0"));
  const std::vector<ProcessTimes> single(3, ProcessTimes{{1.0}, {}});
  CHECK_THAT(variation_of(single).reason(), contains_text("one timed epoch"));
}

TEST_CASE("epochs a process follow from what a process costs, and processes from Student's distribution") {
  const Variation variation{0.04, 0.01, 0.01};
  constexpr double kFine = 0.002;
  CHECK(plan_repetitions(variation, {.process = 4, .epoch = 1}, kFine).epochs == 8);
  CHECK(plan_repetitions(variation, {.process = 16, .epoch = 1}, kFine).epochs == 16);
  CHECK(plan_repetitions({0.04, 0.1, 0.1}, {.process = 4, .epoch = 1}, kFine).epochs == 1);

  // One epoch of a machine without scatter within has the variance of a process.
  const std::int64_t count = processes_needed({0, 0.03, 0.03}, 1, kMargin);
  const auto halfwidth = [](std::int64_t n) {
    return kNormalScore * student_factor(static_cast<double>(n - 1)) * 0.03 *
           std::sqrt(variance_of_median(n));
  };
  CHECK(halfwidth(count) <= kMargin);
  CHECK(halfwidth(count - 1) > kMargin);
  CHECK(processes_needed({0, 0, 0}, 1, kMargin) == kLeastProcesses);
  CHECK(processes_needed({0, 10, 10}, 1, 1e-6) == kMostProcesses);
}

TEST_CASE("no more epochs are planned than let five processes do") {
  const RepetitionPlan plan = plan_repetitions({0.04, 0, 0}, kCosts, kMargin);
  CHECK(plan.processes == 5);
  CHECK(processes_needed({0.04, 0, 0}, plan.epochs - 1, kMargin) == 6);
  CHECK(plan_repetitions({0, 0, 0}, kCosts, kMargin).epochs == 1);
}

TEST_CASE("runs as planned reach the margin") {
  for (const Machine& machine : {Machine{0.04, 0.03}, Machine{0.003, 0.03}, Machine{0.04, 0.005},
                                 Machine{0.04, 0.03, 0.6}, Machine{0.003, 0.03, 0.6}}) {
    const Shares shares = simulate(machine);
    INFO(machine.within << " " << machine.between << " " << machine.likeness << ": known " << shares.known
                        << ", pilot " << shares.pilot << ", most " << shares.most << ", limit "
                        << shares.limit);
    CHECK(shares.known > (machine.likeness > 0 ? 0.9 : 0.94));
    CHECK(shares.pilot > 0.86);
    CHECK(shares.most > 0.94);
    CHECK(shares.limit > 0.75);
  }
}

}  // namespace gpubench::test
