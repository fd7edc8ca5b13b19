// Waits until the store GPUBENCH_STORE has COUNT started rows, or COUNT epochs of unfinished rows. Used by
// shell scripts. Exits with 1 after 20 seconds.
//
//   await_stored begun|epochs COUNT

#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>

#include "support/stored.h"

int main(int argc, char** argv) {
  const char* const store = std::getenv("GPUBENCH_STORE");
  if (argc != 3 || store == nullptr) return 2;
  const std::size_t wanted = std::stoul(argv[2]);
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(20);
  while (Clock::now() < end) {
    const gpubench::test::StoredCounts counts = gpubench::test::count_stored(store);
    if ((std::string(argv[1]) == "begun" ? counts.begun : counts.epochs) >= wanted) return 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return 1;
}
