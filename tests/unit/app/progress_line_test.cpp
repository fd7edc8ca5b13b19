#include "app/run/terminal.h"

#include <unistd.h>

#include <chrono>
#include <thread>

#include "support/catch.h"
#include "support/redirected.h"
#include "support/temp_dir.h"

using gpubench::progress_text;

namespace gpubench::test::progress_line_test {
namespace {

CaseRecord a_case(const std::string& model) {
  CaseRecord record;
  record.model = model;
  record.device = "cpu";
  record.batch_size = 8;
  record.epochs = 1'000'000'000;
  record.steps_per_epoch = 1'000;
  record.train_samples = 8'000;
  return record;
}

TEST_CASE("steps are counted and rows change while the line is painted") {
  const TempDir dir;
  const Redirected redirected(STDERR_FILENO, dir.path() / "stderr");
  const SteadyClock clock;
  {
    ProgressLine line(clock, /*is_shown=*/true);
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    for (std::size_t row = 0; dir.content("stderr").find("samples/s") == std::string::npos; ++row) {
      REQUIRE(std::chrono::steady_clock::now() < end);
      const CaseRecord record = a_case(row % 2 == 0 ? "mlp" : "cnn");
      line.row_started(record, row, 2);
      std::thread measuring([&] {
        for (int step = 0; step < 1'000; ++step) line.steps_finished(1);
      });
      measuring.join();
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
      line.row_finished(record);
    }
  }
  CHECK_THAT(dir.content("stderr"), contains_text(" cpu batch 8: epoch "));
}

}  // namespace
}  // namespace gpubench::test::progress_line_test

TEST_CASE("the progress line tells epoch, speed and the time left") {
  CHECK(progress_text("mlp", 0, 10, 4, 1000, {0}) == "mlp: epoch 1/4");
  CHECK(progress_text("mlp", 10, 10, 4, 1000, {2}) == "mlp: epoch 2/4, 500 samples/s, 6 s left");
  CHECK(progress_text("mlp", 1, 10, 100, 1000, {30}) == "mlp: epoch 1/100, 3 samples/s, 8 h 19 min left");
  CHECK(progress_text("mlp", 5, 10, 2, 1000, {60}) == "mlp: epoch 1/2, 8 samples/s, 3 min 00 s left");
}

TEST_CASE("the epoch never passes the last one") {
  CHECK(progress_text("mlp", 40, 10, 4, 1000, {4}) == "mlp: epoch 4/4, 1000 samples/s, 0 s left");
}
