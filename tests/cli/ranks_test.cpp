// Several ranks: what is measured, who is refused, and what becomes of a run whose ranks fail in every way.

#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "supervision.h"
#include "support/catch.h"

using namespace gpubench::test;

namespace {

namespace fs = std::filesystem;

constexpr const char* kTrain =
    " --model mlp --dataset synthetic --limit 256 --batch 32 --epochs 2 --meter none -q ";

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// Ranks that are started by hand, as a launcher would: by variables of the environment.
struct ByHand {
  ByHand() { gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker()); }

  /// Runs a shell script; `R n` begins the command line of rank n of two.
  ProcessResult run(const std::string& script) const {
    return gpubench.run_shell(
        "R() { r=$1; shift; RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 "
        "\"$0\" \"$@\"; }\n" +
        script);
  }
  std::string file(const std::string& name) const { return text_of(gpubench.folder() / name); }

  Gpubench gpubench;
};

/// A port that nobody has, unless somebody takes it in the meantime.
std::string free_port() {
  static int next = 0;
  return std::to_string(30000 + (static_cast<int>(getpid()) * 7 + next++ * 131) % 20000);
}

/// The pids of processes that have the variable in their environment; Linux alone tells.
std::vector<pid_t> marked(const std::string& mark) {
  std::vector<pid_t> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (text_of(entry.path() / "environ").find(mark) != std::string::npos) found.push_back(std::stoi(name));
  }
  return found;
}

/// The most memory that the process has had; 0 where the system does not tell. Linux alone does.
long peak_kibibytes(pid_t process) {
  std::ifstream in(fs::path("/proc") / std::to_string(process) / "status");
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("VmHWM:")) return std::stol(line.substr(6));
  }
  return 0;
}

/// Six cases of two ranks each, of stand-ins.
struct Crew {
  explicit Crew(const std::string& behaviour, int count = 2) : supervision(behaviour), ranks(count) {}

  ProcessResult run(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> all{"--ranks", std::to_string(ranks)};
    all.insert(all.end(), more.begin(), more.end());
    return supervision.run(all);
  }

  Supervision supervision;
  int ranks;
};

}  // namespace

TEST_CASE("two ranks train together, and the document tells what each of them is and what it cost") {
  Gpubench gpubench;
  const auto result =
      gpubench.run({"--model", "mlp,cnn", "--dataset", "synthetic", "--limit", "260", "--batch", "32",
                    "--epochs", "2", "--meter", "none", "--ranks", "1,2", "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json document = Json::parse(text_of(gpubench.folder() / "run.json"));
  CHECK(gpubench.run({"validate", "run.json"}).exit_code == 0);
  CHECK(document["environment"]["ranks"].size() == 2);
  CHECK(document["environment"]["ranks"][1]["rank"] == 1);
  CHECK(document["environment"]["ranks"][1]["link"] == "loopback");
  for (const Json& row : document["cases"]) {
    CHECK(row["status"] == "ok");
    const bool is_shared = row["ranks"] == 2;
    CHECK(row["rank_batch"] == (is_shared ? 16 : 32));
    CHECK(row["backend"] == (is_shared ? Json("gloo") : Json(nullptr)));
    CHECK(row["communication_seconds"].size() == (is_shared ? 2 : 0));
    CHECK(row["rank_busy_seconds"].size() == (is_shared ? 2 : 0));
    // Nothing is exchanged that the network does not have: 4 bytes a parameter.
    if (is_shared) CHECK(row["gradient_per_step_bytes"] == 4 * row["parameters"].get<std::int64_t>());
    // All samples are seen, each by one rank.
    CHECK(row["trained_samples"] == 2 * 260);
  }
}

TEST_CASE("the order of samples is the same for any number of ranks: without dropout they learn the same") {
  Gpubench gpubench;
  const auto result =
      gpubench.run({"--model", "cnn", "--dataset", "synthetic", "--limit", "128", "--batch", "32", "--epochs",
                    "2", "--meter", "none", "--ranks", "1,2,3", "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json cases = Json::parse(text_of(gpubench.folder() / "run.json"))["cases"];
  for (const Json& row : cases) {
    CHECK(row["initial_loss"].get<double>() == approx(cases[0]["initial_loss"].get<double>()));
    CHECK(std::abs(row["training"]["loss"][1].get<double>() - cases[0]["training"]["loss"][1].get<double>()) <
          1e-3);
  }
}

TEST_CASE("a last batch with fewer samples than ranks is left out, and the row says so") {
  Gpubench gpubench;
  const auto result =
      gpubench.run({"--model", "mlp", "--dataset", "synthetic", "--limit", "130", "--batch", "32", "--epochs",
                    "2", "--meter", "none", "--ranks", "1,3", "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json cases = Json::parse(text_of(gpubench.folder() / "run.json"))["cases"];
  CHECK(cases[0]["train_samples"] == 130);
  CHECK(cases[1]["train_samples"] == 128);
  CHECK(cases[1]["last_batch_dropped"] == true);
}

TEST_CASE("collectives are checked and timed, and the document is valid") {
  Gpubench gpubench;
  const auto result = gpubench.run({"net", "--ranks", "2", "--device", "cpu", "--sizes", "4:16384:*64",
                                    "--time", "10ms", "--sample", "1ms", "-q", "-o", "net.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("Latency and bandwidth"));
  CHECK(gpubench.run({"validate", "net.json"}).exit_code == 0);
  const Json document = Json::parse(text_of(gpubench.folder() / "net.json"));
  CHECK(document["settings"]["kind"] == "net");
  CHECK(document["environment"]["ranks"].size() == 2);
  REQUIRE(document["operations"].size() == 5 * 3);
  for (const Json& row : document["operations"]) {
    CHECK(row["status"] == "ok");
    CHECK(row["ranks"] == 2);
    CHECK(row["backend"] == "gloo");
    CHECK(row["error"] == 0.0);
    CHECK(row["call_seconds"].size() >= 3);
    const double factor = row["op"] == "all_gather" || row["op"] == "reduce_scatter" ? 0.5 : 1;
    CHECK(row["bus_bytes_per_second"].get<double>() ==
          approx(factor * row["bytes_per_second"].get<double>()));
  }
}

TEST_CASE("a rank that fails in a collective costs its row, and the others are measured") {
  const std::string rank = GENERATE("0", "1");
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX",
               stand_in_worker() + " --fault kill9 --only all_gather --rank " + rank);
  const auto result = gpubench.run({"net", "--ranks", "2", "--device", "cpu", "--sizes", "4:16:*4", "-q",
                                    "-o", "net.json", "--collective", "all_reduce,all_gather,broadcast"});
  INFO(result.err);
  CHECK(result.exit_code == 5);
  for (const Json& row : Json::parse(text_of(gpubench.folder() / "net.json"))["operations"]) {
    const bool is_hit = row["op"] == "all_gather";
    CHECK(row["status"] == (is_hit ? "crashed" : "ok"));
    if (is_hit) CHECK_THAT(row["status_message"].get<std::string>(), contains_text("rank " + rank));
  }
}

TEST_CASE("what collectives cannot be asked for is refused, by its option") {
  const Gpubench gpubench;
  const std::pair<std::vector<std::string>, std::string> refusals[] = {
      {{"--ranks", "1"}, "--ranks 1: a collective is of two or more"},
      {{"--ranks", "2", "--collective", "all_redcue"}, "did you mean 'all_reduce'"},
      {{"--ranks", "2", "--sizes", "4:x:*2"}, "--sizes 4:x:*2: 'x' is no whole number"},
      {{"--ranks", "2", "--repeat", "0"}, "--repeat 0: give 1 or more"},
      {{"--ranks", "2", "--time", "0s"}, "--time 0s: must be above 0"}};
  for (const auto& [words, message] : refusals) {
    std::vector<std::string> all{"net", "--device", "cpu", "-o", "-"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = gpubench.run(all);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text(message));
  }
}

TEST_CASE("what cannot be shared is refused, by its option") {
  const Gpubench gpubench;
  const std::pair<std::vector<std::string>, std::string> refusals[] = {
      {{"--ranks", "-1"}, "--ranks -1: give 1 to 65536, or 0 for 1, 2, 4"},
      {{"--ranks", "2,2"}, "--ranks: a value stands twice"},
      {{"--ranks", "4", "--batch", "3"}, "--batch 3: is less than a sample for each of 4 ranks"},
      {{"--ranks", "2", "--isolate", "none"}, "--isolate none: several ranks need processes"},
      {{"--rank-batch", "0"}, "--rank-batch 0: a batch has"}};
  for (const auto& [words, message] : refusals) {
    std::vector<std::string> all{"--model", "mlp", "--dataset", "synthetic", "--device", "cpu", "-o", "-"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = gpubench.run(all);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text(message));
  }
}

TEST_CASE("ranks that differ are refused before anything is trained, by name") {
  ByHand hand;
  const std::string port = "MASTER_PORT=" + free_port() + "; export MASTER_PORT; ";
  hand.run(port + "R 0" + kTrain + "-o run.json 2>zero & R 1 " +
           "--model cnn --dataset synthetic --limit 256 --batch 32 --epochs 2 --meter none -q 2>one; "
           "echo $? >code; wait");
  CHECK_THAT(hand.file("zero"),
             contains_text(") was given --model cnn instead of mlp; give all ranks the same"));
  CHECK_THAT(hand.file("one"), contains_text("was given --model cnn instead of mlp"));
  CHECK(hand.file("code") == "2\n");
  CHECK_FALSE(fs::exists(hand.gpubench.folder() / "run.json"));
}

TEST_CASE("ranks with other data are refused, by name") {
  ByHand hand;
  const std::string port = "MASTER_PORT=" + free_port() + "; export MASTER_PORT; ";
  hand.run(
      port +
      "T='--model mlp --dataset fashion-mnist --limit 256 --batch 32 --epochs 2 --meter none -q --offline'; "
      "mkdir other; cp -r \"$GPUBENCH_DATA_DIR/fashion-mnist\" other/; cd other/fashion-mnist; "
      "f=$(ls | head -n 1); cp \"$(ls | tail -n 1)\" \"$f.new\"; mv \"$f.new\" \"$f\"; cd ../..; "
      "R 0 $T -o run.json 2>zero & R 1 $T --data-dir other 2>one; wait");
  const std::string said = hand.file("zero") + hand.file("one");
  INFO(said);
  const bool is_named = said.find("has other data for fashion-mnist") != std::string::npos ||
                        said.find("rank 1 (") != std::string::npos;
  CHECK(is_named);
}

TEST_CASE("a rank that does not come, a port that is taken, and a rank of another job end in one line each") {
  ByHand hand;
  const std::string port = free_port();
  const std::string line = "MASTER_PORT=" + port + "; export MASTER_PORT; ";
  const auto alone = hand.run(line + "R 0" + kTrain + "-o a.json --join 1s");
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err, contains_text("rank 1 of 2 has not come"));

  const auto nobody = hand.run(line + "R 1" + kTrain + "--join 1s");
  CHECK(nobody.exit_code == 2);
  CHECK_THAT(nobody.err, contains_text("rank 0 at 127.0.0.1 port " + port));

  hand.run(line + "R 0" + kTrain + "-o b.json --join 3s 2>first & sleep 0.5; R 0" + kTrain +
           "-o c.json 2>second; GPUBENCH_JOB=another R 1" + kTrain + "2>foreign; wait");
  CHECK_THAT(hand.file("second"), contains_text("port " + port + ": Address already in use"));
  CHECK_THAT(hand.file("foreign"), contains_text("is another job's; give one of them another MASTER_PORT"));
  CHECK_THAT(hand.file("first"), contains_text("rank 1 of 2 has not come"));
}

TEST_CASE("whatever else knocks at the port is no reason to end") {
  ByHand hand;
  const std::string port = free_port();
  hand.run("MASTER_PORT=" + port + "; export MASTER_PORT; R 0" + kTrain +
           "-o run.json 2>zero & sleep 0.5; bash -c 'exec 9<>/dev/tcp/127.0.0.1/" + port +
           "; echo GET / HTTP/1.1 >&9'; R 1" + kTrain + "2>one; wait");
  INFO(hand.file("zero") << hand.file("one"));
  CHECK(fs::exists(hand.gpubench.folder() / "run.json"));
}

TEST_CASE("a rank whose worker fails gives its case a status with its name, and the others are measured") {
  const std::tuple<std::string, std::string, std::string> faults[] = {
      {"kill9", "crashed", "ended by signal 9"},
      {"abort", "crashed", "ended by signal 6"},
      {"exit7", "crashed", "exit code 7"},
      {"oom", "oom", "asked to want too much"},
      {"garbage", "error", "sent what is no message"},
      {"error", "error", "asked to fail"}};
  const int rank = GENERATE(0, 1);
  for (const auto& [fault, status, part] : faults) {
    const Crew crew("--fault " + fault + " --only mlp:32 --rank " + std::to_string(rank) + " --epoch-ms 20");
    const auto result = crew.run();
    INFO(fault << " in rank " << rank << ": " << result.err);
    CHECK(result.exit_code == 5);
    const Json document = crew.supervision.document();
    check_whole(document);
    // A larger batch is not tried where a smaller one has run out of memory.
    CHECK(statuses(document) == "ok " + status + (fault == "oom" ? " skipped" : " ok") + " ok ok ok ");
    const std::string message = row_of(document, "mlp", 32)["status_message"];
    CHECK_THAT(message, contains_text("rank " + std::to_string(rank)));
    CHECK_THAT(message, contains_text(part));
  }
}

TEST_CASE("a rank that hangs ends its case at the limit, and the next one runs") {
  const int rank = GENERATE(0, 1);
  const Crew crew("--fault hang --only mlp:32 --rank " + std::to_string(rank));
  const auto result = crew.run({"--timeout", "1s"});
  INFO(result.err);
  const Json document = crew.supervision.document();
  CHECK(statuses(document) == "ok timeout ok ok ok ok ");
  CHECK_THAT(row_of(document, "mlp", 32)["status_message"].get<std::string>(), contains_text("--timeout"));
}

TEST_CASE(
    "a supervisor that is killed is named, later cases say that it is gone, and --resume measures them") {
  const Crew crew("--epoch-ms 100");
  const std::string mark = "GPUBENCH_TEST_MARK=" + crew.supervision.gpubench().folder().string();
  const_cast<Gpubench&>(crew.supervision.gpubench())
      .set("GPUBENCH_TEST_MARK", crew.supervision.gpubench().folder().string());
  auto arguments = Supervision::arguments({"--ranks", "3"});
  StartedProcess process = crew.supervision.gpubench().start(arguments);
  REQUIRE(crew.supervision.wait_for("started", 2));
  const auto member = [&] {
    for (const pid_t pid : marked(mark)) {
      const std::string environment = text_of(fs::path("/proc") / std::to_string(pid) / "environ");
      const std::string words = text_of(fs::path("/proc") / std::to_string(pid) / "cmdline");
      const bool is_worker = words.find("stand_in_worker") != std::string::npos;
      if (environment.find("\nRANK=2") == std::string::npos &&
          environment.find(std::string(1, '\0') + "RANK=2") == std::string::npos)
        continue;
      if (!is_worker) return pid;
    }
    return pid_t{0};
  }();
  REQUIRE(member > 0);
  kill(member, SIGKILL);
  const auto result = process.wait();
  INFO(result.err);
  CHECK(result.exit_code == 5);
  const Json document = crew.supervision.document();
  check_whole(document);
  std::string messages;
  for (const Json& row : document["cases"]) {
    if (row["status"] != "ok") messages += row["status_message"].get<std::string>() + "\n";
  }
  CHECK_THAT(messages, contains_text("rank 2 ("));
  CHECK_THAT(messages, contains_text("is gone since an earlier row"));
  CHECK(wait_until([&] { return marked(mark).empty(); }));
  const auto resumed = crew.supervision.resume();
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  check_all_ok(crew.supervision.document());
}

TEST_CASE("ranks of a resumed run find the data of the run that was begun, and work as it did") {
  Gpubench gpubench;
  const fs::path folder = gpubench.folder();
  fs::create_directory(folder / "mine");
  fs::copy(fs::path(fixtures_dir()) / "fashion-mnist", folder / "mine" / "fashion-mnist",
           fs::copy_options::recursive);
  std::ofstream(folder / "noted.sh") << "echo \"rank ${RANK:-0}: $*\" >>started; exec \"$@\"\n";
  const std::string noted = "sh " + (folder / "noted.sh").string() + " " + stand_in_worker();
  gpubench.set("GPUBENCH_DATA_DIR", "");
  gpubench.set("GPUBENCH_WORKER_PREFIX", noted + " --fault error --only mlp:32 --rank 1");
  const auto first = gpubench.run(
      {"--model",    "mlp",  "--dataset", "fashion-mnist", "--limit",  "64",  "--batch", "32",
       "--epochs",   "2",    "--meter",   "none",          "--device", "cpu", "--ranks", "2",
       "--data-dir", "mine", "--offline", "--allocator",   "system",   "-q",  "-o",      "run.json"});
  INFO(first.err);
  REQUIRE(first.exit_code == 5);
  fs::remove(folder / "started");
  gpubench.set("GPUBENCH_WORKER_PREFIX", noted);
  const auto resumed = gpubench.run({"--resume", "run.json"});
  INFO(resumed.err);
  CHECK(resumed.exit_code == 0);
  std::istringstream started(text_of(folder / "started"));
  std::size_t of_other_rank = 0;
  for (std::string line; std::getline(started, line);) {
    INFO(line);
    CHECK(line.find("worker --allocator system") != std::string::npos);
    if (line.starts_with("rank 1: ")) ++of_other_rank;
  }
  CHECK(of_other_rank >= 1);
}

TEST_CASE("256 supervisors come together and end, and rank 0 is no larger by much than with a few") {
  if (has_sanitized_memory()) return;
  const auto most_memory = [](int ranks) {
    Gpubench gpubench;
    gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " --epoch-ms 1");
    const std::string count = std::to_string(ranks);
    StartedProcess process =
        gpubench.start({"--model", "mlp",     "--dataset", "synthetic", "--device", "cpu",     "--batch",
                        "256,512", "--limit", "1024",      "--epochs",  "2",        "--meter", "none",
                        "-q",      "--ranks", count,       "--join",    "5m",       "-o",      "run.json"});
    long most = 0;
    while (process.is_running()) {
      most = std::max(most, peak_kibibytes(process.id()));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    const auto result = process.wait();
    INFO(result.err);
    CHECK(result.exit_code == 0);
    const std::string text = text_of(gpubench.folder() / "run.json");
    CHECK(text.size() < 1'000'000);
    const Json document = Json::parse(text);
    CHECK(document["environment"]["ranks"].size() == static_cast<std::size_t>(ranks));
    CHECK(statuses(document) == "ok ok ");
    return most;
  };
  const long few = most_memory(4);
  if (few == 0) {
    WARN("skipped: this system does not tell how large a process was");
    return;
  }
  CHECK(most_memory(256) < 2 * few);
}

TEST_CASE("fifty processes killed at random: the run ends, nothing is left, and --resume makes it whole") {
  std::mt19937 random(22);
  for (int round = 0; round < 50; ++round) {
    Crew crew("--epoch-ms 5", 3);
    const std::string folder = crew.supervision.gpubench().folder().string();
    const std::string mark = "GPUBENCH_TEST_MARK=" + folder;
    const_cast<Gpubench&>(crew.supervision.gpubench()).set("GPUBENCH_TEST_MARK", folder);
    StartedProcess process = crew.supervision.gpubench().start(Supervision::arguments({"--ranks", "3"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution(0, 400)(random)));
    const auto all = marked(mark);
    const pid_t victim =
        all.empty() ? 0 : all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random)];
    if (victim > 0) kill(victim, SIGKILL);
    const auto result = process.wait();
    INFO("round " << round << ": " << result.err);
    CHECK(wait_until([&] { return marked(mark).empty(); }));
    if (!fs::exists(crew.supervision.journal_path())) continue;  // It was killed before it began.
    const auto resumed = crew.supervision.resume();
    INFO("resumed: " << resumed.err);
    CHECK(resumed.exit_code == 0);
    check_all_ok(crew.supervision.document());
  }
}
