// Hostile environments: variables, limits, removed folders and closed descriptors.

#include <cstdlib>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "support/catch.h"
#include "words.h"

namespace gpubench::test::environment_test {

TEST_CASE("unusual variables do not affect the result", "[environment]") {
  std::vector<Attack> attacks;
  for (const char* name : {"HOME", "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "TMPDIR"}) {
    for (const std::string& value : {std::string("relative"), std::string("/dev/null"),
                                     "/" + std::string(5000, 'h'), std::string("\x1b[31m\xff")}) {
      attacks.push_back(
          {fmt::format("{} {}", name, shown(value)), 0, "dry run",
           fmt::format("unset GPUBENCH_STORE; {}={}; export {}; train -o - | head -c 2 >/dev/null; "
                       "plan",
                       name, quoted(value), name)});
    }
  }
  for (const char* name : {"TERM", "COLUMNS", "LINES", "LC_ALL", "TZ", "OMP_NUM_THREADS", "USER"}) {
    for (const std::string& value :
         {std::string("-1"), std::string("\x1b[31m\xff"), std::string(5000, 'x')}) {
      attacks.push_back({fmt::format("{} {}", name, shown(value)), 0, "mlp",
                         fmt::format("{}={}; export {}; gpubench show $RESULTS/alpha-cpu.json", name,
                                     quoted(value), name)});
    }
  }
  attacks.push_back(
      {"Low: no HOME and no data folder", 0, "synthetic",
       "unset HOME XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME GPUBENCH_DATA_DIR "
       "GPUBENCH_STORE; "
       "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --model mlp --max-samples 4 --device cpu -o -"});
  attacks.push_back({"Low: no HOME, data verify", 3, "--data-dir",
                     "unset HOME XDG_CACHE_HOME GPUBENCH_DATA_DIR; gpubench data verify fashion-mnist"});
  attacks.push_back({"no variables at all", 0, "mlp", "env -i \"$GPUBENCH\" show $RESULTS/alpha-cpu.json"});
  attacks.push_back({"an environment of 10,000 variables", 0, "mlp",
                     "env $(seq -f 'V%.0f=x' 10000) \"$GPUBENCH\" show $RESULTS/alpha-cpu.json"});
  withstand("environment", attacks);
}

TEST_CASE("the error for an invalid engine names it", "[environment]") {
  std::vector<Attack> attacks;
  for (const char* engine : {".", "text.so", "/dev/null", "''", "pipe.so"}) {
    attacks.push_back({fmt::format("Low: GPUBENCH_ENGINE={}", engine), engine == std::string("''") ? 0 : 2,
                       engine == std::string("''") ? "mlp" : "GPUBENCH_ENGINE",
                       fmt::format("GPUBENCH_ENGINE={} gpubench list models", engine),
                       "echo text > text.so; mkfifo pipe.so"});
  }
  withstand("environment", attacks);
}

TEST_CASE("an invalid worker ends the run with an error", "[environment][seam]") {
  std::vector<Attack> attacks;
  const std::string run =
      "gpubench --model mlp --dataset synthetic --max-samples 4 --device cpu -q -o run.json";
  for (const char* prefix : {"yes", "true", "/nothing", "'echo {}'", "\"$(printf '\\033[31m')\""}) {
    const bool is_endless = std::string(prefix).find("yes") != std::string::npos;
    attacks.push_back({fmt::format("Low: GPUBENCH_WORKER_PREFIX={}", prefix), 2,
                       is_endless ? "endless stderr output" : "GPUBENCH_WORKER_PREFIX",
                       fmt::format("GPUBENCH_WORKER_PREFIX={} {} --timeout 2s", prefix, run)});
  }
  withstand("environment", attacks);
}

TEST_CASE("stopped and hanging workers end at the timeout", "[environment][seam]") {
  withstand(
      "environment",
      {
          {"M18: a worker stopped at its start", 2, "suspended by SIGSTOP",
           R"(GPUBENCH_WORKER_PREFIX="sh stop.sh" gpubench --model mlp --dataset synthetic --max-samples 4 --device cpu -q -o run.json --timeout 2s)",
           "printf 'kill -STOP $$\\n' > stop.sh"},
          {"M18: a worker that never replies", 2, "not finished after 20 s",
           R"(GPUBENCH_WORKER_PREFIX="sh hang.sh" gpubench ops --op relu -q -o ops.json --timeout 2s)",
           "echo 'sleep 1000' > hang.sh"},
      });
}

TEST_CASE("low limits cause an error of one line", "[environment]") {
  std::vector<Attack> attacks;
  // With less memory, the loader fails before the program begins.
  attacks.push_back(
      {"Low: 150 MB of memory, show", 0, "mlp", "ulimit -v 150000; gpubench show $RESULTS/alpha-cpu.json"});
  for (const char* limit : {"300000", "600000"}) {
    const std::string less = std::string("ulimit -v ") + limit + "; gpubench ";
    attacks.push_back(
        {"Low: less memory than LibTorch needs, the engine", 2, "memory", less + "list models"});
    attacks.push_back({"Low: less memory than LibTorch needs, a run", 2, "memory",
                       less + "--model mlp --dataset synthetic --max-samples 4 --device cpu -q -o run.json",
                       "", "run.json"});
  }
  // The test environment may leave descriptors open.
  const char* const kNoMore = "exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-;";
  for (const int files : {4, 8}) {  // With fewer descriptors, the loader fails before the program begins.
    attacks.push_back({fmt::format("Low: {} descriptors, show", files), 0, "",
                       fmt::format("{} ulimit -n {}; gpubench show run.json", kNoMore, files),
                       "train -o run.json"});
    attacks.push_back({fmt::format("Low: {} descriptors, a run", files), 2,
                       "gpubench: ", fmt::format("{} ulimit -n {}; train -o run.json", kNoMore, files)});
    attacks.push_back(
        {fmt::format("Low: {} descriptors, anonymize", files), 0, "gpubench: ",
         fmt::format("{} ulimit -n {}; gpubench file anonymize $RESULTS/alpha-cpu.json -o new.json", kNoMore,
                     files),
         "", "new.json"});
  }
  // With 0 blocks, even the message has no space.
  for (const int blocks : {8}) {
    attacks.push_back({fmt::format("Low: files of {} blocks, a run", blocks), 2, "File too large",
                       fmt::format("ulimit -f {}; train -o run.json", blocks), "", "run.json"});
    attacks.push_back(
        {fmt::format("Low: files of {} blocks, anonymize", blocks), 2, "File too large",
         fmt::format("ulimit -f {}; gpubench file anonymize $RESULTS/alpha-cpu.json -o new.json", blocks)});
    attacks.push_back(
        {fmt::format("Low: files of {} blocks, report", blocks), 2, "File too large",
         fmt::format("ulimit -f {}; gpubench report $RESULTS/alpha-cpu.json -o r.html", blocks)});
  }
  for (const int stack : {64, 128}) {
    for (const char* command : {"gpubench show $RESULTS/eventful.json", "train -o run.json"}) {
      attacks.push_back({fmt::format("Low: a stack of {} KiB, {}", stack, command), 2, "ulimit -s",
                         fmt::format("ulimit -s {}; {}", stack, command)});
    }
  }
  attacks.push_back({"Low: a stack of 256 KiB, a deep document", 3, "deep.json",
                     "ulimit -s 256; gpubench show deep.json", "many 100000 '[' > deep.json"});
  attacks.push_back(
      {"Low: a stack of 256 KiB, a run", 0, "mlp", "ulimit -s 256; train -o run.json", "", "run.json"});
  withstand("environment", attacks);
}

TEST_CASE("a removed or long current folder, and unusual stdin", "[environment]") {
  withstand(
      "environment",
      {
          {"Low: a removed current folder, a run", 2,
           "gpubench: ", "mkdir gone; cd gone; rmdir ../gone; train -o run.json"},
          {"Low: a removed current folder, show", 0, "mlp",
           "mkdir gone; cd gone; rmdir ../gone; gpubench show $RESULTS/alpha-cpu.json"},
          {"Low: a removed current folder, anonymize", 2, "gpubench: ",
           "mkdir gone; cd gone; rmdir ../gone; gpubench file anonymize $RESULTS/alpha-cpu.json -o new.json"},
          {"a current folder of 3,000 letters", 0, "mlp",
           "top=$PWD; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do mkdir $(many 250 d); cd $(many 250 d); done; "
           "train -o run.json; s=$?; cd \"$top\"; rm -r d*; exit $s",
           "", ""},
          {"closed stdin", 0, "mlp", "train -o run.json <&-", "", "run.json"},
          {"stdin that is a folder", 0, "mlp", "train -o run.json < .", "", "run.json"},
      });
}

TEST_CASE("concurrent runs write separate results", "[environment]") {
  withstand("concurrency",
            {
                {"M1: five runs in one second", 0, "5 of 5",
                 "for i in 1 2 3 4 5; do (GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench --model "
                 "mlp --dataset synthetic --max-samples 4 --device cpu -q >/dev/null) & done; wait; "
                 "echo $(ls results/*.json | wc -l | tr -d ' ') of 5; gpubench file validate "
                 "results/*.json && rm -r results"},
                {"two runs with one output", 0, "another gpubench is writing",
                 "(GPUBENCH_WORKER_PREFIX=\"$STAND_IN --epoch-ms 1000\" gpubench --model mlp "
                 "--dataset synthetic --max-samples 4 --epochs 12 --device cpu -q -o run.json "
                 ">/dev/null) & "
                 "\"$AWAIT_STORED\" begun 1; train -o run.json; "
                 "test $? = 2; s=$?; wait; gpubench file validate run.json >/dev/null && exit $s",
                 "", "run.json"},
            });
}

TEST_CASE("a machine without /proc", "[environment]") {
  if (std::system(
          "unshare -m true 2>/dev/null && unshare -m sh -c 'mount -t tmpfs none /proc' 2>/dev/null") != 0) {
    WARN("skipped: only root can hide /proc, and only on Linux");
    return;
  }
  std::vector<Attack> attacks;
  const std::string without = "unshare -m sh -c 'mount -t tmpfs none /proc; exec \"$GPUBENCH\" \"$@\"' sh ";
  for (const char* command :
       {"show $RESULTS/alpha-cpu.json", "file anonymize $RESULTS/alpha-cpu.json", "suite list", "--help"})
    attacks.push_back({std::string("Low: no /proc, ") + command, 0, "", without + command});
  attacks.push_back({"Low: no /proc, a run", 0, "mlp",
                     "export GPUBENCH_WORKER_PREFIX=\"$STAND_IN\"; " + without +
                         "--model mlp --dataset synthetic --max-samples 4 --device cpu -q -o run.json",
                     "", "run.json"});
  withstand("environment", attacks);
}

}  // namespace gpubench::test::environment_test
