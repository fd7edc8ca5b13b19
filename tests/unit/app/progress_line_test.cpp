#include "app/run/terminal.h"

#include <unistd.h>

#include <algorithm>

#include "gpubench/core/collect.h"
#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/redirected.h"
#include "support/temp_dir.h"

namespace gpubench::test::progress_line_test {
namespace {

/// Returns the lines of two rows of `epochs` of ten steps, after `steps` and `elapsed` in each.
std::string draw(std::int64_t epochs, std::int64_t steps, Seconds elapsed) {
  CaseRecord planned;
  planned.model = "mlp";
  planned.device = "cpu";
  planned.batch_size = 8;
  planned.epochs = epochs;
  planned.steps_per_epoch = 10;
  planned.train_samples = 1000;
  const TempDir dir;
  const Redirected redirected(STDERR_FILENO, dir.path() / "stderr");
  FakeClock clock;
  const auto line = make_progress_line(clock);
  for (const std::size_t row : {0, 1}) {
    line->row_started(planned, row, 2);
    clock.advance(elapsed);
    line->steps_finished(steps);
    line->row_finished(planned);
  }
  return dir.content("stderr");
}

}  // namespace

TEST_CASE("the progress line shows epoch, speed and remaining time") {
  CHECK_THAT(draw(4, 0, {0}), contains_text("[1/2] mlp cpu batch 8: epoch 1/4\r"));
  CHECK_THAT(draw(4, 10, {2}), contains_text("[2/2] mlp cpu batch 8: epoch 2/4, 500 samples/s, 6 s left"));
  CHECK_THAT(draw(100, 1, {30}), contains_text("epoch 1/100, 3 samples/s, 8 h 19 min left"));
  CHECK_THAT(draw(2, 5, {60}), contains_text("epoch 1/2, 8 samples/s, 3 min 00 s left"));
}

TEST_CASE("the progress line never shows an epoch beyond the last one") {
  CHECK_THAT(draw(4, 40, {4}), contains_text("epoch 4/4, 1000 samples/s, 0 s left"));
}

TEST_CASE("the log has a line per case, and the remaining time once all cases have run") {
  const TempDir dir;
  const auto make_row = [](const char* model, std::int64_t repeat) {
    CaseRecord row;
    row.model = model;
    row.device = "cpu";
    row.batch_size = 128;
    row.item = "image";
    row.train_samples = 1000;
    row.warmup_epochs = 0;
    row.repeat = repeat;
    row.status = RowStatus::kOk;
    for (int epoch = 0; epoch < 3; ++epoch) row.epoch_seconds.push_back(0.25);
    return row;
  };
  const std::vector<Result> rows{make_row("mlp", 1), make_row("cnn", 1), make_row("mlp", 2),
                                 make_row("cnn", 2)};
  {
    const Redirected redirected(STDERR_FILENO, dir.path() / "stderr");
    FakeClock clock;
    const auto log = make_progress_log(clock);
    log->rows_planned(mapped(rows, [](const Result& row) { return &row; }));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      CaseRecord row = std::get<CaseRecord>(rows[i]);
      if (i == 3) {
        row.status = RowStatus::kOutOfMemory;
        row.status_reason = "16 GiB requested";
      }
      log->row_started(rows[i], i, rows.size());
      clock.advance(Seconds{row.model == "mlp" ? 10.0 : 60.0});
      log->row_finished(row);
    }
  }
  CHECK(dir.content("stderr") ==
        "[1/4] mlp cpu batch 128: ok, 4,000 images/s, 250 ms per epoch\n"
        "[2/4] cnn cpu batch 128: ok, 4,000 images/s, 250 ms per epoch; 1 min 10 s left\n"
        "[3/4] mlp cpu batch 128, repeat 2: ok, 4,000 images/s, 250 ms per epoch; 1 min 00 s left\n"
        "[4/4] cnn cpu batch 128, repeat 2: oom: 16 GiB requested\n");
}

TEST_CASE("the log has a line per tenth of the operations") {
  const TempDir dir;
  constexpr std::size_t kCount = 40;
  {
    const Redirected redirected(STDERR_FILENO, dir.path() / "stderr");
    FakeClock clock;
    const auto log = make_progress_log(clock);
    OpRecord row;
    row.op = "relu";
    row.device = "cpu";
    row.sizes = "64x64";
    row.status = RowStatus::kOk;
    for (std::size_t i = 0; i < kCount; ++i) {
      log->row_started(row, i, kCount);
      log->row_finished(row);
    }
  }
  const std::string text = dir.content("stderr");
  CHECK(std::ranges::count(text, '\n') == 10);
  CHECK(text.starts_with("[4/40] relu 64x64 fp32 on cpu: ok\n[8/40] "));
}

}  // namespace gpubench::test::progress_line_test
