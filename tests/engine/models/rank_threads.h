#pragma once
// Ranks as threads of one process.

#include <stdlib.h>

#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <vector>

#include "engine/plan/rank_context.h"
#include "engine/ranks/process_group.h"

namespace gpubench::test {

/// Disables c10d's flight recorder. It is shared by all groups of a process and adds groups without a lock
/// (FlightRecorder::record() of LibTorch 2.11), so threads with a group each crash occasionally.
inline const int kWithoutFlightRecorder = setenv("TORCH_FR_BUFFER_SIZE", "0", 1);

/// Runs `work` for each rank in its own thread, and rethrows the first exception.
inline void on_ranks(std::int64_t ranks, const std::function<void(const RankContext&)>& work,
                     Seconds timeout = {60}) {
  int port = 0;
  const FileDescriptor listener = listen_at(port, /*is_local=*/true);
  std::vector<std::future<void>> all;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    const RankContext context{rank,   ranks,  "127.0.0.1", port, rank == 0 ? listener.get() : -1,
                              "test", timeout};
    all.push_back(std::async(std::launch::async, work, context));
  }
  std::exception_ptr first;
  for (auto& each : all) {
    try {
      each.get();
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  }
  if (first) std::rethrow_exception(first);
}

}  // namespace gpubench::test
