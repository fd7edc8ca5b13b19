#include "engine/execution/executor.h"

namespace gpubench {
Result run_observed(Work work, const Result& planned, RowControl& control, Executor& executor,
                    const Observers& observers) {
  RowControl* current = &control;
  std::optional<Result> row;
  std::size_t begun = 0;
  while (begun < observers.size() && !row) row = observers[begun++]->before(work, planned, current);
  if (!row) row = executor.run(work, planned, *current);
  while (begun > 0) observers[--begun]->after(*row);
  return std::move(*row);
}

}  // namespace gpubench
