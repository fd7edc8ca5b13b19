#include "engine/ops/op_sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/timing/window.h"

namespace gpubench {
namespace {

constexpr std::int64_t kMostCalls = 1 << 20;
constexpr double kStable = 0.03;
constexpr double kPauses = 20;
constexpr double kWarmUpPart = 0.25;

}  // namespace

OpSampler::OpSampler(OpCall& call, const OpRequest& request, Device& device, const Clock& clock)
    : call_(call), effort_(request.effort), device_(device), clock_(clock), timer_(device.make_timer()) {
  if (request.cache == OpCache::kCold) flush_.emplace(device.name());
}

OpSample OpSampler::take(std::int64_t calls) {
  if (flush_) flush_->run();
  TimedWindow window(device_, clock_);
  if (timer_) timer_->start();
  for (std::int64_t i = 0; i < calls; ++i) call_.make();
  if (timer_) timer_->stop();
  OpSample sample{window.close()};
  spent_ = spent_ + sample.host;
  if (timer_) sample.device = timer_->elapsed();
  return sample;
}

std::int64_t OpSampler::calls_for_sample() {
  const double wanted = effort_.sample.value;
  std::int64_t calls = 1;
  while (!flush_ && calls < kMostCalls) {
    double took = take(calls).host.value;
    // A pause of the machine makes a sample longer; not so a second time, or hardly, where it is much longer.
    if (took >= wanted && took < kPauses * wanted) took = std::min(took, take(calls).host.value);
    if (took >= wanted) break;
    const double factor = took > 0 ? std::min(10.0, 1.2 * wanted / took) : 10;
    calls = std::min(kMostCalls, static_cast<std::int64_t>(std::ceil(static_cast<double>(calls) * factor)));
  }
  return calls;
}

void OpSampler::warm_up(std::int64_t calls) {
  double before = 0;
  while (spent_.value < kWarmUpPart * effort_.limit.value) {
    const double now = take(calls).best_known().value;
    if (std::abs(now - before) <= kStable * before) return;
    before = now;
  }
}

}  // namespace gpubench
