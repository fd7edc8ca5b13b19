// Runs with several ranks: measurements and errors.

#include <unistd.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "supervision.h"
#include "support/catch.h"

namespace gpubench::test::ranks_test {

namespace {

namespace fs = std::filesystem;

constexpr const char* kTrain =
    " --model mlp --dataset synthetic --max-samples 256 --batch 32 --epochs 2 --meter none -q ";

/// Starts ranks by environment variables, like a launcher.
struct ByHand {
  ByHand() { gpubench.set("GPUBENCH_WORKER_PREFIX", stand_in_worker()); }

  /// Runs a shell script; `R n` begins the command line of rank n of two.
  ProcessResult run(const std::string& script) const {
    return gpubench.run_shell(
        "R() { r=$1; shift; RANK=$r WORLD_SIZE=2 LOCAL_RANK=$r LOCAL_WORLD_SIZE=2 MASTER_ADDR=127.0.0.1 "
        "\"$0\" \"$@\"; }\n" +
        script);
  }
  std::string file(const std::string& name) const { return to_text(gpubench.folder() / name); }

  Gpubench gpubench;
};

/// Returns a port that was free a moment ago.
std::string free_port() {
  static int next = 0;
  return std::to_string(30000 + (static_cast<int>(getpid()) * 7 + next++ * 131) % 20000);
}

}  // namespace

TEST_CASE("two ranks train together, and the document describes each rank and its cost") {
  Gpubench gpubench;
  const auto result =
      gpubench.run({"--model", "mlp,cnn", "--dataset", "synthetic", "--max-samples", "260", "--batch", "32",
                    "--epochs", "2", "--meter", "none", "--world-size", "1,2", "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json document = Json::parse(to_text(gpubench.folder() / "run.json"));
  CHECK(gpubench.run({"file", "validate", "run.json"}).exit_code == 0);
  CHECK(document["environment"]["ranks"].size() == 2);
  CHECK(document["environment"]["ranks"][1]["rank"] == 1);
  CHECK(document["environment"]["ranks"][1]["link"] == "loopback");
  for (const Json& row : document["results"]) {
    CHECK(row["status"] == "ok");
    const bool is_shared = row["asked"]["world_size"] == 2;
    CHECK(row["facts"].value("backend", "") == (is_shared ? "gloo" : ""));
    CHECK(row["samples"].value("communication_seconds", Json()).size() == (is_shared ? 2 : 0));
    CHECK(row["samples"].value("rank_busy_seconds", Json()).size() == (is_shared ? 2 : 0));
    // Ranks exchange 4 bytes per parameter.
    if (is_shared)
      CHECK(row["facts"]["gradient_per_step_bytes"] == 4 * row["facts"]["parameters"].get<std::int64_t>());
    // Each sample is trained by exactly one rank.
    CHECK(row["facts"]["trained_samples"] == 2 * 260);
  }
}

TEST_CASE("many ranks train and evaluate, with the same work per sample as one rank") {
  Gpubench gpubench;
  // The batch does not divide evenly. The last training and evaluation batches have fewer samples than ranks.
  const auto result = gpubench.run({"--model", "mlp,cnn,lstm", "--dataset", "synthetic", "--max-samples",
                                    "133", "--batch", "43", "--epochs", "2", "--meter", "none", "--protocol",
                                    "fit", "--world-size", "1,5,8", "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json cases = Json::parse(to_text(gpubench.folder() / "run.json"))["results"];
  REQUIRE(cases.size() == 9);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    INFO(cases[i]["asked"]["model"] << " on " << cases[i]["asked"]["world_size"]);
    CHECK(cases[i]["status"] == "ok");
    CHECK(cases[i]["facts"]["train_flop_per_sample"] == cases[i - i % 3]["facts"]["train_flop_per_sample"]);
    CHECK(cases[i]["facts"]["validation"]["loss"].is_number());
  }
}

TEST_CASE("the order of samples does not depend on the number of ranks: without dropout, losses agree") {
  Gpubench gpubench;
  const auto result =
      gpubench.run({"--model", "cnn", "--dataset", "synthetic", "--max-samples", "128", "--batch", "32",
                    "--epochs", "2", "--meter", "none", "--world-size", "1,2,3", "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json cases = Json::parse(to_text(gpubench.folder() / "run.json"))["results"];
  for (const Json& row : cases) {
    CHECK(row["facts"]["initial_loss"].get<double>() ==
          approx(cases[0]["facts"]["initial_loss"].get<double>()));
    CHECK(std::abs(row["samples"]["training"]["loss"][1].get<double>() -
                   cases[0]["samples"]["training"]["loss"][1].get<double>()) < 1e-3);
  }
}

TEST_CASE("a last batch with fewer samples than ranks is dropped, and the row records it") {
  Gpubench gpubench;
  const auto result =
      gpubench.run({"--model", "mlp", "--dataset", "synthetic", "--max-samples", "130", "--batch", "32",
                    "--epochs", "2", "--meter", "none", "--world-size", "1,3", "-o", "run.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  const Json cases = Json::parse(to_text(gpubench.folder() / "run.json"))["results"];
  CHECK(cases[0]["facts"]["train_samples"] == 130);
  CHECK(cases[1]["facts"]["train_samples"] == 128);
  CHECK(cases[1]["facts"]["last_batch_dropped"] == true);
}

TEST_CASE("collectives are checked and timed, and the document is valid", "[seam]") {
  Gpubench gpubench;
  const auto result = gpubench.run({"net", "--world-size", "2", "--device", "cpu", "--sizes", "4:16384:*64",
                                    "--time", "10ms", "--sample", "1ms", "-q", "-o", "net.json"});
  INFO(result.err);
  REQUIRE(result.exit_code == 0);
  CHECK_THAT(result.out, contains_text("Latency and bandwidth"));
  CHECK(gpubench.run({"file", "validate", "net.json"}).exit_code == 0);
  const Json document = Json::parse(to_text(gpubench.folder() / "net.json"));
  CHECK(document["plan"]["kind"] == "net");
  CHECK(document["environment"]["ranks"].size() == 2);
  REQUIRE(document["results"].size() == 5 * 3);
  for (const Json& row : document["results"]) {
    CHECK(row["status"] == "ok");
    CHECK(row["asked"]["world_size"] == 2);
    CHECK(row["facts"]["backend"] == "gloo");
    CHECK(row["facts"]["error"] == 0.0);
    CHECK(row["samples"]["call_seconds"].size() >= 3);
    const double factor =
        row["asked"]["op"] == "all_gather" || row["asked"]["op"] == "reduce_scatter" ? 0.5 : 1;
    CHECK(row["figures"]["bus_bytes_per_second"].get<double>() ==
          approx(factor * row["figures"]["bytes_per_second"].get<double>()));
  }
}

TEST_CASE("a failing rank in a collective affects only its row", "[seam]") {
  const std::string rank = GENERATE("0", "1");
  Gpubench gpubench;
  gpubench.set("GPUBENCH_WORKER_PREFIX",
               stand_in_worker() + " --fault kill9 --only all_gather --rank " + rank);
  const auto result = gpubench.run({"net", "--world-size", "2", "--device", "cpu", "--sizes", "4:16:*4", "-q",
                                    "-o", "net.json", "--collective", "all_reduce,all_gather,broadcast"});
  INFO(result.err);
  CHECK(result.exit_code == 5);
  for (const Json& row : Json::parse(to_text(gpubench.folder() / "net.json"))["results"]) {
    const bool is_hit = row["asked"]["op"] == "all_gather";
    CHECK(row["status"] == (is_hit ? "crashed" : "ok"));
    if (is_hit) CHECK_THAT(row["status_message"].get<std::string>(), contains_text("rank " + rank));
  }
}

TEST_CASE("invalid options of net are errors that name the option") {
  const Gpubench gpubench;
  const std::pair<std::vector<std::string>, std::string> refusals[] = {
      {{"--world-size", "1"}, "--world-size 1: a collective needs at least 2 ranks"},
      {{"--world-size", "2", "--collective", "all_redcue"}, "did you mean 'all_reduce'"},
      {{"--world-size", "2", "--sizes", "4:x:*2"}, "--sizes 4:x:*2: 'x' is not a whole number"},
      {{"--world-size", "2", "--repeat", "0"}, "--repeat 0: give a whole number from 1"},
      {{"--world-size", "2", "--time", "0s"}, "--time 0s: must be above 0"}};
  for (const auto& [words, message] : refusals) {
    std::vector<std::string> all{"net", "--device", "cpu", "-o", "-"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = gpubench.run(all);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text(message));
  }
}

TEST_CASE("trainings that cannot be distributed are errors that name the option") {
  const Gpubench gpubench;
  const std::pair<std::vector<std::string>, std::string> refusals[] = {
      {{"--world-size", "-1"}, "--world-size -1: give a whole number from 1 to 65536, or all"},
      {{"--world-size", "2,2"}, "--world-size: 2 is listed twice"},
      {{"--world-size", "4", "--batch", "3"}, "--batch 3: less than one sample for each of 4 ranks"},
      {{"--world-size", "4", "--max-samples", "3"},
       "--world-size 4: fashion-mnist has 3 training samples; use fewer ranks"},
      {{"--batch", "0/rank"}, "--batch 0/rank: give"}};
  for (const auto& [words, message] : refusals) {
    std::vector<std::string> all{"--model", "mlp", "--dataset", "synthetic", "--device", "cpu", "-o", "-"};
    all.insert(all.end(), words.begin(), words.end());
    const auto result = gpubench.run(all);
    CHECK(result.exit_code == 2);
    CHECK_THAT(result.err, contains_text(message));
  }
}

TEST_CASE("the command line of rank 0 applies to all ranks") {
  ByHand hand;
  const std::string port = "MASTER_PORT=" + free_port() + "; export MASTER_PORT; ";
  hand.run(port + "R 0" + kTrain + "-o run.json 2>zero & R 1 --model cnn --dataset synthetic -q 2>one; wait");
  INFO(hand.file("zero") << hand.file("one"));
  const Json document = Json::parse(hand.file("run.json"));
  CHECK(statuses(document) == "ok ");
  CHECK(document["results"][0]["asked"]["model"] == "mlp");
  CHECK(document["results"][0]["asked"]["world_size"] == 2);
}

TEST_CASE("the error for ranks with different data names the data") {
  ByHand hand;
  const std::string port = "MASTER_PORT=" + free_port() + "; export MASTER_PORT; ";
  hand.run(port +
           "T='--model mlp --dataset fashion-mnist --max-samples 256 --batch 32 --epochs 2 --meter none -q "
           "--offline'; "
           "mkdir other; cp -r \"$GPUBENCH_DATA_DIR/fashion-mnist\" other/; cd other/fashion-mnist; "
           "f=$(ls | head -n 1); cp \"$(ls | tail -n 1)\" \"$f.new\"; mv \"$f.new\" \"$f\"; cd ../..; "
           "R 0 $T -o run.json 2>zero & R 1 $T --data-dir other 2>one; wait");
  const std::string said = hand.file("zero") + hand.file("one");
  INFO(said);
  const bool is_named = said.find("has different data for fashion-mnist") != std::string::npos ||
                        said.find("rank 1 (") != std::string::npos;
  CHECK(is_named);
}

TEST_CASE("a missing rank, a port in use and a rank of another job are errors of one line") {
  ByHand hand;
  const std::string port = free_port();
  const std::string line = "MASTER_PORT=" + port + "; export MASTER_PORT; ";
  const auto alone = hand.run(line + "R 0" + kTrain + "-o a.json --timeout 1s");
  CHECK(alone.exit_code == 2);
  CHECK_THAT(alone.err, contains_text("rank 1 of 2 has not connected"));

  const auto nobody = hand.run(line + "R 1" + kTrain + "--timeout 1s");
  CHECK(nobody.exit_code == 2);
  CHECK_THAT(nobody.err, contains_text("rank 0 at 127.0.0.1 port " + port));

  hand.run(line + "R 0" + kTrain + "-o b.json --timeout 3s 2>first & sleep 0.5; R 0" + kTrain +
           "-o c.json 2>second; GPUBENCH_JOB=another R 1" + kTrain + "2>foreign; wait");
  CHECK_THAT(hand.file("second"), contains_text("port " + port + ": Address already in use"));
  CHECK_THAT(hand.file("foreign"),
             contains_text("belongs to another job; set another MASTER_PORT for one of them"));
  CHECK_THAT(hand.file("first"), contains_text("rank 1 of 2 has not connected"));
}

TEST_CASE("other programs that connect to the port are ignored") {
  ByHand hand;
  const std::string port = free_port();
  hand.run("MASTER_PORT=" + port + "; export MASTER_PORT; R 0" + kTrain +
           "-o run.json 2>zero & sleep 0.5; bash -c 'exec 9<>/dev/tcp/127.0.0.1/" + port +
           "; echo GET / HTTP/1.1 >&9'; R 1" + kTrain + "2>one; wait");
  INFO(hand.file("zero") << hand.file("one"));
  CHECK(fs::exists(hand.gpubench.folder() / "run.json"));
}

}  // namespace gpubench::test::ranks_test
