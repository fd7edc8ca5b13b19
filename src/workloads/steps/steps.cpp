#include "workloads/steps/steps.h"

#include <algorithm>

#include <ATen/record_function.h>

#include "workloads/profile/sums.h"

namespace gpubench {

void Steps::queue_epoch(BatchSource& source, const OnSteps& on_steps) {
  const std::int64_t samples = source.size();
  begin_epoch(samples);
  source.begin_epoch();
  for (std::int64_t first = 0; first < samples; first += batch_size()) {
    queue_next(source, std::min(batch_size(), samples - first));
    on_steps(1);
  }
  score_steps();
  end_epoch();
}

void Steps::queue_next(BatchSource& source, std::int64_t count) {
  const auto batch = [&] {
    RECORD_USER_SCOPE(kInputScope);
    return source.next(count);
  }();
  run_step(batch, count);
}

}  // namespace gpubench
