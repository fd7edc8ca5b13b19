#include "workloads/input/prefetcher.h"

#include <atomic>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support/catch.h"

namespace gpubench::test::prefetcher_test {
namespace {

using std::chrono::microseconds;

constexpr microseconds kLong = std::chrono::seconds(60);

/// Buffers with the number of their batch.
struct Ring {
  explicit Ring(std::size_t buffers) : values(buffers) {}
  Prefetcher::Fill fill() {
    return [this](std::size_t buffer, std::int64_t batch) {
      values[buffer] = batch;
      ++fills;
    };
  }
  std::vector<std::atomic<std::int64_t>> values;
  std::atomic<int> fills = 0;
};

}  // namespace

TEST_CASE("batches arrive in order, each once, through fewer buffers") {
  Ring ring(3);
  Prefetcher prefetcher(50, 3, ring.fill());
  for (std::int64_t batch = 0; batch < 50; ++batch) {
    CHECK(ring.values[prefetcher.take()] == batch);
    prefetcher.release();
  }
  CHECK(ring.fills == 50);
}

TEST_CASE("a buffer is not filled again before its release") {
  Ring ring(3);
  Prefetcher prefetcher(50, 3, ring.fill());
  const std::size_t held = prefetcher.take();
  prefetcher.take();
  prefetcher.take();
  CHECK_FALSE(prefetcher.is_ready_within(microseconds(20000)));
  CHECK(ring.fills == 3);
  CHECK(ring.values[held] == 0);

  prefetcher.release();
  CHECK(prefetcher.is_ready_within(kLong));
  CHECK(prefetcher.take() == held);
  CHECK(ring.values[held] == 3);
}

TEST_CASE("an exception in the background is thrown for its batch, after earlier batches") {
  Ring ring(2);
  const auto fill = ring.fill();
  Prefetcher prefetcher(5, 2, [&](std::size_t buffer, std::int64_t batch) {
    if (batch == 2) throw std::runtime_error("no more memory");
    fill(buffer, batch);
  });
  for (int batch = 0; batch < 2; ++batch) {
    CHECK(ring.values[prefetcher.take()] == batch);
    prefetcher.release();
  }
  CHECK_THROWS_WITH(prefetcher.take(), "no more memory");
  CHECK_THROWS_WITH(prefetcher.take(), "no more memory");
}

TEST_CASE("destruction ends the thread in any state") {
  for (int taken = 0; taken < 4; ++taken) {
    Ring ring(3);
    std::optional<Prefetcher> prefetcher;
    prefetcher.emplace(1000000, 3, ring.fill());
    for (int i = 0; i < taken; ++i) {
      prefetcher->take();
      prefetcher->release();
    }
    prefetcher.reset();
    const int fills = ring.fills;
    CHECK(fills <= taken + 3);
    CHECK(ring.fills == fills);
  }
}

}  // namespace gpubench::test::prefetcher_test
