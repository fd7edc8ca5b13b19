// Where results go and come from: devices, pipes, links, folders, files that exist, names too long.

#include <string>
#include <vector>

#include "attack.h"
#include "support/catch.h"

using namespace gpubench::test;

namespace {

/// Devices of the row's own, so that those of the machine are safe even from a program that replaces them.
const std::string kDevices = "mknod null c 1 3 && mknod full c 1 7 && mknod zero c 1 5; ";

bool can_make_devices() {
  if (std::system(
          "d=$(mktemp -d) && mknod $d/null c 1 3 2>/dev/null && echo > $d/null; s=$?; rm -r $d; exit $s") ==
      0)
    return true;
  WARN("skipped: devices can be made by root only");
  return false;
}

const char* const kAlpha = "$RESULTS/alpha-cpu.json";

}  // namespace

TEST_CASE("devices stay devices, whatever is written to them", "[paths]") {
  if (!can_make_devices()) return;
  std::vector<Attack> attacks;
  for (const std::string& command : {std::string("redact ") + kAlpha, std::string("report ") + kAlpha}) {
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
                     "train -o run.json --power-log null && test -c null", kDevices,
                     "run.json run.journal.jsonl"});
  attacks.push_back({"M6: a device of zeros as a suite", 2, "zero", "plan suite ./zero", kDevices});
  attacks.push_back({"M6: a device of zeros as a journal", 3, "zero", "gpubench --resume zero", kDevices});
  attacks.push_back({"a device of zeros as a result", 3, "zero", "gpubench show zero", kDevices});
  attacks.push_back({"a device of zeros as a log of power", 3, "zero",
                     std::string("gpubench energy import ") + kAlpha + " zero", kDevices});
  withstand("paths", attacks);
}

TEST_CASE("what cannot be written is refused before anything is measured", "[paths]") {
  std::vector<Attack> attacks;
  const std::string name(300, 'x');
  const std::vector<std::pair<std::string, std::string>> places = {
      {"a name of 300 letters", name + ".json"},
      {"a path of 5,000 letters", "$(many 1000 xxxx/)run.json"},
      {"a folder below a file", "file/run.json"},
      {"a link in a circle", "loop.json"},
      {"a link in a circle as folder", "loop.json/run.json"},
      {"a folder that nobody may write to", "/proc/run.json"},
      {"a link into a folder that is not there", "dangling.json"}};
  for (const auto& [what, place] : places) {
    for (const char* command : {"train", "operate --op relu", "gpubench redact $RESULTS/alpha-cpu.json",
                                "gpubench merge $RESULTS/alpha-cpu.json"}) {
      attacks.push_back({"Low: " + what + ", " + command, 2,
                         "gpubench: ", std::string(command) + " -o " + place,
                         "ln -s loop.json loop.json; echo > file; ln -s nothing/there.json dangling.json"});
    }
    attacks.push_back(
        {"Low: " + what + ", report", 2, "gpubench: ",
         "gpubench report $RESULTS/alpha-cpu.json -o " + place.substr(0, place.rfind('.')) + ".html",
         "ln -s loop.html loop.html; ln -s loop.json loop.json; echo > file; ln -s nothing/there.html "
         "dangling.html"});
    attacks.push_back({"Low: " + what + ", power log", 2, "gpubench: ",
                       "train -o run.json --meter replay:$POWER/gpubench.csv --power-log " + place,
                       "ln -s loop.json loop.json; echo > file; ln -s nothing/there.json dangling.json"});
    attacks.push_back({"Low: " + what + ", to read", 3, "gpubench: ", "gpubench show " + place,
                       "ln -s loop.json loop.json; echo > file; ln -s nothing/there.json dangling.json"});
    attacks.push_back({"Low: " + what + ", to resume", 3, "gpubench: ", "gpubench --resume " + place,
                       "ln -s loop.json loop.json; echo > file; ln -s nothing/there.json dangling.json"});
  }
  withstand("paths", attacks);
}

TEST_CASE("runs that are there stay as they are", "[paths]") {
  withstand(
      "paths",
      {
          {"M2: a run onto a finished one", 2, "run.json", "train -o run.json --batch 7",
           "train -o run.json"},
          {"M2: a run onto a finished one, named without its ending", 2, "run", "train -o run --batch 7",
           "train -o run"},
          {"M3: a run into the journal of another", 2, "x", "train -o x --batch 7", "train -o x.json"},
          {"M3: a run whose journal is another's", 2, "x", "train -o x.json --batch 7", "train -o x"},
          {"M2: a run onto a finished one without a journal", 2, "run.json", "train -o run.json",
           "train -o run.json; rm run.journal.jsonl"},
          {"M2: a run in place of one whose result was moved away", 0, "mlp", "train -o run.json --batch 7",
           "train -o run.json; mv run.json kept.json", "run.json run.journal.jsonl"},
          {"M2: a run onto a file that is no result", 2, "run.json", "train -o run.json",
           "echo 'my notes' > run.json"},
          {"M2: operations onto a run", 2, "run.json", "operate --op relu -o run.json", "train -o run.json"},
          {"M2: operations onto operations", 2, "ops.json", "operate --op relu,matmul -o ops.json",
           "operate --op relu -o ops.json"},
          {"M2: a run onto a picture", 2, "photo.png", "train -o photo.png", "echo > photo.png"},
          {"M2: sides onto sides", 2, "pair",
           "GPUBENCH_WORKER_PREFIX=$STAND_IN gpubench ab -q --model mlp --device cpu --rounds 4 -o pair --vs",
           "echo '{}' > pair-a.json"},
          {"a run onto an empty folder's name", 0, "",
           "train -o out && ls out/*.json >/dev/null && rm -r out/*", "mkdir out", ""},
          {"M9: redaction into a folder", 0, "",
           "gpubench redact stand-in-cpu.json -o out && ! ls out | grep -q stand-in || { ls out; exit 1; }; "
           "rm out/*",
           "train -o stand-in-cpu.json; mkdir out", ""},
          {"Low: a draft that is a link to another file", 0, "", "train -o run.json",
           "echo precious > victim; for n in run.json.part .run.json.part run.json.1.part; do ln -s victim "
           "$n; done",
           "run.json run.journal.jsonl"},
          {"Low: a draft that is a pipe", 0, "", "gpubench redact $RESULTS/alpha-cpu.json -o new.json",
           "for n in new.json.part .new.json.part; do mkfifo $n; done", "new.json"},
          {"a result through a link", 2, "is there already",
           "gpubench redact $RESULTS/alpha-cpu.json -o link.json",
           "mkdir real; echo > real/new.json; ln -s real/new.json link.json", "real/new.json"},
          {"a result in the place of its source", 2, "is there already",
           "gpubench redact run.json -o run.json", "train -o run.json", "run.json"},
          {"a report in the place of its source", 2, "run", "gpubench report run.html -o run.html",
           "train -o run.json; cp run.json run.html"},
          {"a power log in the place of the result", 2, "--power-log",
           "train -o run.json --power-log run.json"},
          {"a power log in the place of the journal", 2, "--power-log",
           "train -o run.json --power-log run.journal.jsonl"},
          {"a power log onto a file that is none", 2, "notes",
           "train -o run.json --power-log notes --meter replay:$POWER/gpubench.csv",
           "echo 'my notes' > notes"},
          {"a pipe as result, which nobody reads", 2, "pipe.json",
           "train -o pipe.json & p=$!; sleep 2; kill $p 2>/dev/null; wait $p 2>/dev/null; s=$?; test $s -gt "
           "128 && s=2 && echo 'gpubench: pipe.json waited for' >&2; exit $s",
           "mkfifo pipe.json"},
          {"a pipe as document, which is read", 0, "schema_version",
           "gpubench redact $RESULTS/alpha-cpu.json -o pipe & cat pipe; wait", "mkfifo pipe"},
          {"C1: standard output as a file", 0, "schema_version",
           "gpubench redact $RESULTS/alpha-cpu.json -o out | cat", "ln -s /dev/fd/1 out"},
          {"C1: standard error as a file", 0, "",
           "gpubench redact $RESULTS/alpha-cpu.json -o err 2>&1 >/dev/null | grep -c schema_version "
           ">/dev/null && test -L err",
           "ln -s /dev/fd/2 err"},
      });
}

TEST_CASE("what nobody can write to is an error of one line, and nothing that was measured is lost",
          "[paths]") {
  if (!can_make_devices()) return;
  std::vector<Attack> attacks;
  for (const char* command :
       {"show $RESULTS/alpha-cpu.json", "show --format csv $RESULTS/alpha-cpu.json",
        "show --format html $RESULTS/alpha-cpu.json", "redact $RESULTS/alpha-cpu.json",
        "compare $RESULTS/alpha-cpu.json $RESULTS/beta-cuda.json", "validate $RESULTS/alpha-cpu.json",
        "suite list", "suite show smoke", "--help", "--version", "list models"}) {
    attacks.push_back({std::string("H1: a full disk as stdout, ") + command, 2, "stdout",
                       std::string("gpubench ") + command + " > full", kDevices});
    attacks.push_back({std::string("H1: stdout that is closed, ") + command, 2, "stdout",
                       std::string("gpubench ") + command + " >&-"});
  }
  attacks.push_back({"H1: a document to a full stdout", 2, "stdout", "train -o - > full", kDevices});
  attacks.push_back({"H1: a run's table to a full stdout", 2, "stdout",
                     "train -o run.json > full; s=$?; gpubench validate run.json >/dev/null && exit $s",
                     kDevices, "run.json run.journal.jsonl"});
  attacks.push_back({"H3: a full disk as stderr", 0, "mlp",
                     "train -o run.json 2> full && gpubench validate run.json", kDevices,
                     "run.json run.journal.jsonl"});
  attacks.push_back({"H3: stderr that is closed", 0, "mlp",
                     "train -o run.json 2>&- && gpubench validate run.json", "",
                     "run.json run.journal.jsonl"});
  attacks.push_back({"H3: stdout and stderr that are closed", 0, "run.json: ok",
                     "train -o run.json >&- 2>&-; test $? = 2 && gpubench validate run.json", "",
                     "run.json run.journal.jsonl"});
  attacks.push_back({"H3: an error message to a full disk", 2, "", "gpubench --frob 2> full", kDevices});
  attacks.push_back({"all three closed", 0, "run.json: ok",
                     "train -o run.json <&- >&- 2>&-; test $? = 2 && gpubench validate run.json", "",
                     "run.json run.journal.jsonl"});
  attacks.push_back(
      {"M7: a reader that goes away", 0, "run.json: ok",
       "train -o run.json | true; gpubench validate run.json && grep -q '\"finished_at\": \"2' run.json", "",
       "run.json run.journal.jsonl"});
  attacks.push_back(
      {"M7: a reader of a document that goes away", 0, "", "gpubench redact $RESULTS/eventful.json | true"});
  attacks.push_back({"M7: a reader of a page that goes away", 0, "",
                     "gpubench show --format html $RESULTS/eventful.json | head -c 1"});
  withstand("paths", attacks);
}
