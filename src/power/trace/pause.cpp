#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include "power/trace/sampler.h"

namespace gpubench {
namespace {

class ConditionPause : public SamplerPause {
 public:
  void wait(Seconds duration) override {
    const std::chrono::duration<double> seconds(std::max(0.0, duration.value));
    std::unique_lock lock(mutex_);
    woken_.wait_for(lock, seconds, [this] { return is_woken_; });
    is_woken_ = false;
  }

  void wake() override {
    {
      const std::lock_guard lock(mutex_);
      is_woken_ = true;
    }
    woken_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable woken_;
  bool is_woken_ = false;
};

}  // namespace

std::unique_ptr<SamplerPause> make_pause() { return std::make_unique<ConditionPause>(); }

}  // namespace gpubench
