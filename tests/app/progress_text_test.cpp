#include "app/run/progress_line.h"
#include "support/catch.h"

using gpubench::progress_text;

TEST_CASE("the progress line tells epoch, speed and the time left") {
  CHECK(progress_text("mlp", 0, 10, 4, 1000, {0}) == "mlp: epoch 1/4");
  CHECK(progress_text("mlp", 10, 10, 4, 1000, {2}) == "mlp: epoch 2/4, 500 samples/s, 6 s left");
  CHECK(progress_text("mlp", 1, 10, 100, 1000, {30}) == "mlp: epoch 1/100, 3 samples/s, 8 h 19 min left");
  CHECK(progress_text("mlp", 5, 10, 2, 1000, {60}) == "mlp: epoch 1/2, 8 samples/s, 3 min 00 s left");
}

TEST_CASE("the epoch never passes the last one") {
  CHECK(progress_text("mlp", 40, 10, 4, 1000, {4}) == "mlp: epoch 4/4, 1000 samples/s, 0 s left");
}
