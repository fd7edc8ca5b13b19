// Unusual paths of results: devices, pipes, links, folders, existing files, long names.

#include <filesystem>
#include <string>
#include <vector>

#include "attack.h"
#include "support/catch.h"

namespace gpubench::test::paths_test {

namespace {

/// Makes separate devices, so that those of the machine are safe from a program that replaces files.
const std::string kDevices = "mknod null c 1 3 && mknod full c 1 7 && mknod zero c 1 5; ";

bool can_make_devices() {
  if (std::system(
          "d=$(mktemp -d) && mknod $d/null c 1 3 2>/dev/null && echo > $d/null; s=$?; rm -r $d; exit $s") ==
      0)
    return true;
  WARN("skipped: only root can make devices");
  return false;
}

const char* const kAlpha = "$RESULTS/alpha-cpu.json";

}  // namespace

TEST_CASE("devices are written, not replaced", "[paths]") {
  if (!can_make_devices()) return;
  std::vector<Attack> attacks;
  for (const std::string& command :
       {std::string("file anonymize ") + kAlpha, std::string("report ") + kAlpha}) {
    const std::string first = command.substr(0, command.find(' '));
    attacks.push_back({"C1: " + first + " into a null device", 0, "",
                       "gpubench " + command + " -o null >/dev/null; test -c null", kDevices});
    attacks.push_back({"C1: " + first + " into a full device", 2, "full",
                       "gpubench " + command + " -o full; s=$?; test -c full && exit $s", kDevices});
  }
  attacks.push_back({"C1: a run into a null device", 0, "", "train -o null && test -c null", kDevices});
  attacks.push_back(
      {"C1: a run into a full device", 2, "full", "train -o full; s=$?; test -c full && exit $s", kDevices});
  attacks.push_back(
      {"C1: operations into a null device", 0, "", "operate --op relu -o null && test -c null", kDevices});
  attacks.push_back({"C1: a run into a link to a null device", 0, "",
                     "train -o link && test -L link && test -c null", kDevices + "ln -s null link"});
  attacks.push_back({"C1: a run's power log into a null device", 0, "",
                     "train -o run.json --power-log null && test -c null", kDevices, "run.json"});
  attacks.push_back({"M6: a device of zeros as a suite", 2, "zero", "plan suite ./zero", kDevices});
  attacks.push_back(
      {"M6: a device of zeros as a run to resume", 3, "zero", "gpubench --resume zero", kDevices});
  attacks.push_back({"a device of zeros as a result", 3, "zero", "gpubench show zero", kDevices});
  attacks.push_back({"a device of zeros as a power log", 3, "zero",
                     std::string("gpubench file import-power ") + kAlpha + " zero", kDevices});
  withstand("paths", attacks);
}

TEST_CASE("an unwritable path is an error before any measurement", "[paths]") {
  std::vector<Attack> attacks;
  const std::string prepare =
      "ln -s loop.json loop.json; echo > file; ln -s nothing/there.json dangling.json";
  const std::vector<std::string> places = {std::string(300, 'x') + ".json",
                                           "$(many 1000 xxxx/)run.json",
                                           "file/run.json",
                                           "loop.json",
                                           "/proc/run.json",
                                           "dangling.json"};
  const std::vector<std::string> writers = {
      "train -o ", "operate --op relu -o ", "gpubench file anonymize $RESULTS/alpha-cpu.json -o ",
      "train -o run.json --meter replay:$POWER/gpubench.csv --power-log "};
  // Tests each path with two commands, and each command with several paths.
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const std::size_t writer : {i % writers.size(), (i + 1) % writers.size()}) {
      attacks.push_back(
          {"Low: " + writers[writer] + places[i], 2, "gpubench: ", writers[writer] + places[i], prepare});
    }
    attacks.push_back({"Low: to read " + places[i], 3, "gpubench: ", "gpubench show " + places[i], prepare});
  }
  attacks.push_back({"Low: a report below a file", 2,
                     "gpubench: ", "gpubench report $RESULTS/alpha-cpu.json -o file/r.html", prepare});
  withstand("paths", attacks);
}

TEST_CASE("existing runs are not overwritten", "[paths]") {
  withstand(
      "paths",
      {
          {"M2: a run to the file of a finished one", 2, "run.json", "train -o run.json --batch 7",
           "train -o run.json"},
          {"M2: a run to the file of a finished one that is not in the store", 2, "run.json",
           "train -o run.json", "train --no-store -o run.json"},
          {"M2: a run to the old path of a moved result", 0, "mlp", "train -o run.json --batch 7",
           "train -o run.json; mv run.json kept.json", "run.json"},
          {"M2: a run to a file that is not a result", 2, "run.json", "train -o run.json",
           "echo 'my notes' > run.json"},
          {"M2: operations to the file of a run", 2, "run.json", "operate --op relu -o run.json",
           "train -o run.json"},
          {"M2: ab to an existing file", 2, "pair",
           "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench ab -q --model mlp --device cpu --rounds 4 -o pair --vs",
           "echo '{}' > pair-a.json"},
          {"a run to an empty folder", 0, "", "train -o out && ls out/*.json >/dev/null && rm -r out/*",
           "mkdir out", ""},
          {"M9: anonymize into a folder", 0, "",
           "gpubench file anonymize stand-in-cpu.json -o out && ! ls out | grep -q stand-in || { ls out; "
           "exit 1; }; "
           "rm out/*",
           "train -o stand-in-cpu.json; mkdir out", ""},
          {"Low: a temporary file that links to another file", 0, "", "train -o run.json",
           "echo precious > victim; for n in run.json.part .run.json.part run.json.1.part; do ln -s victim "
           "$n; done",
           "run.json"},
          {"Low: a temporary file that is a pipe", 0, "",
           "gpubench file anonymize $RESULTS/alpha-cpu.json -o new.json",
           "for n in new.json.part .new.json.part; do mkfifo $n; done", "new.json"},
          {"a result through a link", 2, "already exists",
           "gpubench file anonymize $RESULTS/alpha-cpu.json -o link.json",
           "mkdir real; echo > real/new.json; ln -s real/new.json link.json", "real/new.json"},
          {"an output that is the input", 2, "already exists", "gpubench file anonymize run.json -o run.json",
           "train -o run.json", "run.json"},
          {"a power log that is the result", 2, "--power-log", "train -o run.json --power-log run.json"},
          {"a power log to another file", 2, "notes",
           "train -o run.json --power-log notes --meter replay:$POWER/gpubench.csv",
           "echo 'my notes' > notes"},
          {"a pipe without a reader as result", 2, "pipe.json",
           "train -o pipe.json & p=$!; sleep 2; kill $p 2>/dev/null; wait $p 2>/dev/null; s=$?; test $s -gt "
           "128 && s=2 && echo 'gpubench: pipe.json waited for' >&2; exit $s",
           "mkfifo pipe.json"},
          {"a pipe with a reader as document", 0, "schema_version",
           "gpubench file anonymize $RESULTS/alpha-cpu.json -o pipe & cat pipe; wait", "mkfifo pipe"},
          {"C1: standard output as a file", 0, "schema_version",
           "gpubench file anonymize $RESULTS/alpha-cpu.json -o out | cat", "ln -s /dev/fd/1 out"},
          {"C1: standard error as a file", 0, "",
           "gpubench file anonymize $RESULTS/alpha-cpu.json -o err 2>&1 >/dev/null | grep -c schema_version "
           ">/dev/null && test -L err",
           "ln -s /dev/fd/2 err"},
      });
}

TEST_CASE("other files are not used as a store, and the run continues", "[paths]") {
  const auto row = [](const std::string& what, const std::string& prepare, const std::string& test) {
    return Attack{what,
                  0,
                  "store store: .. mlp",
                  "train -o run.json --store store && " + test,
                  prepare,
                  "run.json store-journal"};
  };
  std::vector<Attack> attacks = {
      row("a pipe as a store", "mkfifo store", "test -p store"),
      row("a link to itself as a store", "ln -s store store", "test -L store"),
      row("a folder as a store", "mkdir store", "test -d store"),
      row("a sparse terabyte as a store", "sparse store", "test -s store"),
      row("a link to another file as a store", "echo precious > victim; ln -s victim store", "test -L store"),
      {"a store with escapes in its name", 0, "mlp",
       R"~(train -o run.json --store "$(printf '\033[31m')/x/store")~", R"~(touch "$(printf '\033[31m')")~",
       "run.json"},
      {"the result as a store", kSoundOrRefused, "",
       "train -o run.json --store run.json; s=$?; rm -f run.json*; exit $s"},
      {"a result as a store", 0, "store old.json: is damaged", "train -o run.json --store old.json",
       "train -o old.json", "run.json"}};
  if (can_make_devices()) {
    attacks.push_back(row("a null device as a store", "mknod store c 1 3", "test -c store"));
    attacks.push_back(row("a full device as a store", "mknod store c 1 7", "test -c store"));
    attacks.push_back(row("a device of zeros as a store", "mknod store c 1 5", "test -c store"));
  }
  withstand("paths", attacks);
}

TEST_CASE("unwritable output is an error of one line, and measurements are kept", "[paths]") {
  if (!std::filesystem::exists("/dev/full")) {
    WARN("skipped: this system has no /dev/full");
    return;
  }
  std::vector<Attack> attacks;
  for (const char* command :
       {"show --format html $RESULTS/alpha-cpu.json", "file anonymize $RESULTS/alpha-cpu.json", "suite list",
        "--help", "list models"}) {
    attacks.push_back({std::string("H1: a full disk as stdout, ") + command, 2, "stdout",
                       std::string("gpubench ") + command + " > /dev/full"});
    attacks.push_back({std::string("H1: closed stdout, ") + command, 2, "stdout",
                       std::string("gpubench ") + command + " >&-"});
  }
  attacks.push_back({"H1: a document to a full stdout", 2, "stdout", "train -o - > /dev/full"});
  attacks.push_back(
      {"H1: the table of a run to a full stdout", 2, "stdout",
       "train -o run.json > /dev/full; s=$?; gpubench file validate run.json >/dev/null && exit $s", "",
       "run.json"});
  attacks.push_back({"H3: a full disk as stderr", 0, "mlp",
                     "train -o run.json 2> /dev/full && gpubench file validate run.json", "", "run.json"});
  attacks.push_back({"H3: closed stderr", 0, "mlp",
                     "train -o run.json 2>&- && gpubench file validate run.json", "", "run.json"});
  attacks.push_back({"H3: an error message to a full disk", 2, "", "gpubench --frob 2> /dev/full"});
  attacks.push_back({"closed stdin, stdout and stderr", 0, "run.json: ok",
                     "train -o run.json <&- >&- 2>&-; test $? = 2 && gpubench file validate run.json", "",
                     "run.json"});
  attacks.push_back(
      {"M7: a pipe whose reader exits", 0, "run.json: ok",
       "train -o run.json | true; gpubench file validate run.json && grep -q '\"finished_at\": \"2' run.json",
       "", "run.json"});
  attacks.push_back({"M7: a pipe for a document whose reader exits", 0, "",
                     "gpubench file anonymize $RESULTS/eventful.json | true"});
  withstand("paths", attacks);
}

}  // namespace gpubench::test::paths_test
