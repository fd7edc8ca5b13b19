#include "app/run/terminal.h"

#include <unistd.h>

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
  ProgressLine line(clock, /*is_shown=*/true);
  for (const std::size_t row : {0, 1}) {
    line.row_started(planned, row, 2);
    clock.advance(elapsed);
    line.steps_finished(steps);
    line.row_finished(planned);
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

}  // namespace gpubench::test::progress_line_test
