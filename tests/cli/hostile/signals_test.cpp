// Signals, closed terminals and stopped processes.

#include <thread>

#include "attack.h"
#include "support/catch.h"
#include "support/terminal.h"

namespace gpubench::test::signals_test {

namespace {

const std::string kSlow =
    "GPUBENCH_WORKER_PREFIX=\"$STAND_IN --epoch-ms 300\" \"$GPUBENCH\" --model mlp --dataset synthetic "
    "--max-samples 4 "
    "--epochs 4 --device cpu -o run.json";
const std::string kMakes = "run.json";

Attack interrupted(const std::string& what, const std::string& signals, int code) {
  return {what,
          code,
          "run.json: ok",
          kSlow + " -q >/dev/null & p=$!; \"$AWAIT_STORED\" epochs 1; " + signals +
              "wait $p; s=$?; gpubench file validate run.json && exit $s",
          "",
          kMakes};
}

}  // namespace

TEST_CASE("a run that receives a signal leaves a valid document", "[signals][seam]") {
  withstand("signals",
            {
                interrupted("a run is terminated", "kill -TERM $p; ", 130),
                interrupted("a run loses its session", "kill -HUP $p; ", 130),
                interrupted("a run is stopped and continued", "kill -STOP $p; sleep 0.5; kill -CONT $p; ", 0),
                interrupted("the window of a run is resized", "kill -WINCH $p; ", 0),
            });
}

TEST_CASE("H2: a closed terminal does not end a run", "[signals][seam]") {
  Terminal terminal;
  std::thread watcher([&] {
    for (int i = 0; i < 3000 && terminal.text().find("epoch") == std::string::npos; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    terminal.close();
  });
  withstand("signals",
            {{"H2: the terminal of stderr is closed", 0, "run.json: ok",
              kSlow + " 2> " + terminal.name() + "; s=$?; gpubench file validate run.json && exit $s", "",
              kMakes}});
  watcher.join();
}

// Also stops processes that start later: the fork server may be stopped before it forks.
const std::string kStopAll = "while kill -0 $p 2>/dev/null; do pkill -STOP -P $p; sleep 0.05; done; wait $p";

TEST_CASE("M18: stopped processes end at the timeout of a case", "[signals][seam]") {
  withstand(
      "signals",
      {
          {"M18: the processes below a run are stopped", 5, "timeout",
           "\"$GPUBENCH\" --model mlp --dataset synthetic --max-samples 512 --epochs 90000 --device cpu -q "
           "-o run.json --timeout 5s & p=$!; "
           "\"$AWAIT_STORED\" begun 1; " +
               kStopAll,
           "", kMakes},
      });
}

}  // namespace gpubench::test::signals_test
