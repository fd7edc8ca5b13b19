#include "app/run/terminal.h"

#include <unistd.h>

#include "support/catch.h"
#include "support/fake_clock.h"
#include "support/redirected.h"
#include "support/temp_dir.h"

namespace gpubench::test::progress_line_test {
namespace {

CaseRecord make_case(std::int64_t steps_per_epoch, std::int64_t epochs) {
  CaseRecord record;
  record.model = "mlp";
  record.device = "cpu";
  record.batch_size = 8;
  record.epochs = epochs;
  record.steps_per_epoch = steps_per_epoch;
  record.train_samples = 1000;
  return record;
}

}  // namespace

TEST_CASE("the line is drawn when steps are reported, from zero for each row") {
  const TempDir dir;
  const Redirected redirected(STDERR_FILENO, dir.path() / "stderr");
  FakeClock clock;
  ProgressLine line(clock, /*is_shown=*/true);
  for (const std::size_t row : {0, 1}) {
    line.row_started(make_case(10, 4), row, 2);
    clock.advance({2});
    line.steps_finished(10);
    line.row_finished(CaseRecord());
  }
  CHECK_THAT(dir.content("stderr"),
             contains_text("[2/2] mlp cpu batch 8: epoch 2/4, 500 samples/s, 6 s left"));
}

TEST_CASE("the progress line tells epoch, speed and the time left") {
  CHECK(progress_text("mlp", make_case(10, 4), 0, {0}) == "mlp: epoch 1/4");
  CHECK(progress_text("mlp", make_case(10, 4), 10, {2}) == "mlp: epoch 2/4, 500 samples/s, 6 s left");
  CHECK(progress_text("mlp", make_case(10, 100), 1, {30}) ==
        "mlp: epoch 1/100, 3 samples/s, 8 h 19 min left");
  CHECK(progress_text("mlp", make_case(10, 2), 5, {60}) == "mlp: epoch 1/2, 8 samples/s, 3 min 00 s left");
}

TEST_CASE("the epoch never passes the last one") {
  CHECK(progress_text("mlp", make_case(10, 4), 40, {4}) == "mlp: epoch 4/4, 1000 samples/s, 0 s left");
}

}  // namespace gpubench::test::progress_line_test
