// Pairs of edited result files, and the verdict of `gpubench compare`: text, data and exit code of the gate.
// Uses only the program, its options and the keys of its files.

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/catch.h"
#include "support/paths.h"
#include "tsv_table.h"

namespace gpubench::test::seam_verdicts_test {

namespace {

using Json = nlohmann::json;
using Edit = std::function<void(Json&)>;

const std::string kFixtures = fixtures_dir() + "/results/";
const std::string kCorpus = source_dir() + "/tests/fuzz/corpus/";

constexpr double kScatter = 0.002;

/// Returns the document without its checksum, which edits would invalidate.
Json read_document(const std::string& path) {
  Json document = Json::parse(std::ifstream(path));
  document.erase("content_sha256");
  return document;
}

/// Returns `count` repeats of the row, with times that scatter around those of the row.
Json repeat_row(const Json& row, int count, double factor, double scatter, const std::string& times) {
  constexpr std::array kShape = {0.0, 1.0, -1.0, 0.5, -0.5, 0.25, -0.25, 0.75, -0.75};
  Json repeated = Json::array();
  for (int repeat = 1; repeat <= count; ++repeat) {
    Json copy = row;
    copy["asked"]["repeat"] = repeat;
    const double shift = kShape[static_cast<std::size_t>(repeat - 1) % kShape.size()];
    for (Json& seconds : copy["samples"][times])
      seconds = seconds.get<double>() * factor * (1 + scatter * shift);
    repeated.push_back(copy);
  }
  return repeated;
}

void append_all(Json& rows, const Json& more) { rows.insert(rows.end(), more.begin(), more.end()); }

/// Returns a training run of two cases: mlp on a CPU at batch 32 (6.4 s per epoch) and 128 (2.4 s).
Json make_run(int repeats = 5, double factor = 1, double scatter = kScatter) {
  Json run = read_document(kFixtures + "alpha-cpu.json");
  const Json cases = run["results"];
  run["results"] = Json::array();
  for (const std::size_t i : {0U, 1U}) {
    Json row = cases[i];
    row["facts"]["execution_used"] = "eager";
    row["facts"]["layout_used"] = "nchw";
    row["facts"]["stopped_by"] = "epochs";
    append_all(run["results"], repeat_row(row, repeats, factor, scatter, "epoch_seconds"));
  }
  return run;
}

/// Returns a table of two operations on a GPU: a matrix product and a sum.
Json make_ops(int repeats = 5, double factor = 1) {
  Json table = read_document(kFixtures + "operations.json");
  const Json rows = table["results"];
  table["results"] = Json::array();
  for (const std::size_t i : {0U, 1U})
    append_all(table["results"], repeat_row(rows[i], repeats, factor, kScatter, "call_seconds"));
  return table;
}

/// Adds an energy source of `watts` to each case, for the epochs after the warm-up.
Json with_energy(Json run, double watts, const Json& changes = Json::object()) {
  for (Json& row : run["results"]) {
    Json source = {{"meter", "rapl"},
                   {"part", "package-0"},
                   {"device", "cpu"},
                   {"scope", "cpu-package"},
                   {"quantity", "energy counter"},
                   {"method", "counter-difference"},
                   {"epoch_joules", Json::array()},
                   {"coverage", 1.0},
                   {"samples", 100}};
    double window = 0;
    for (std::size_t i = 0; i < row["samples"]["epoch_seconds"].size(); ++i) {
      const double seconds = row["samples"]["epoch_seconds"][i];
      source["epoch_joules"].push_back(watts * seconds);
      if (i >= 1) window += seconds;
    }
    source["window_seconds"] = window;
    source["energy_joules"] = watts * window;
    source.update(changes);
    row["energy"] = Json::array({source});
  }
  return run;
}

Json edited(Json document, const Edit& edit) {
  edit(document);
  return document;
}

/// Returns an edit of each result at a path such as "asked/seed".
Edit each_row(const std::string& place, const Json& value) {
  return [=](Json& document) {
    for (Json& row : document["results"]) row[Json::json_pointer("/" + place)] = value;
  };
}

Edit at(const std::string& pointer, const Json& value) {
  return [=](Json& document) { document[Json::json_pointer(pointer)] = value; };
}

/// Removes the measured values of all repeats of the first row, and sets their `status`.
Edit fail_first(const std::string& status) {
  return [=](Json& document) {
    Json& rows = document["results"];
    Json first = rows[0]["asked"];
    for (Json& row : rows) {
      first["repeat"] = row["asked"]["repeat"];
      if (row["asked"] != first) continue;
      row["status"] = status;
      row["status_message"] = "made to fail";
      for (const char* series : {"epoch_seconds", "call_seconds"}) row["samples"].erase(series);
    }
  };
}

/// A folder with before.json and after.json.
class FilePair {
 public:
  FilePair(const Json& before, const Json& after) {
    write("before.json", before);
    write("after.json", after);
  }

  void write(const std::string& name, const Json& document) const {
    std::ofstream(gpubench_.folder() / name) << document;
  }
  ProcessResult run(const std::vector<std::string>& arguments) const { return gpubench_.run(arguments); }
  std::string read(const std::string& name) const {
    std::ifstream in(gpubench_.folder() / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  ProcessResult compare(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"compare", "before.json", "after.json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  int gate(const std::string& threshold = "5%") const { return compare({"--gate", threshold}).exit_code; }

  /// Returns the rows of after.json, which have a ratio to before.json.
  std::vector<TsvRow> data(std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--format", "tsv"});
    const auto result = compare(more);
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    std::vector<TsvRow> rows = parse_tsv(result.out);
    std::erase_if(rows, [](const TsvRow& row) { return row.at("file") != "after.json"; });
    REQUIRE_FALSE(rows.empty());
    return rows;
  }

  /// Returns the rows of `compare --values` with this metric.
  std::vector<TsvRow> values(const std::string& name, const std::string& kind = "runs") const {
    const auto result = compare({"--values", kind, "--format", "tsv"});
    INFO(result.err);
    REQUIRE(result.exit_code == 0);
    std::vector<TsvRow> rows = parse_tsv(result.out);
    std::erase_if(rows, [&](const TsvRow& row) { return row.at("metric") != name; });
    return rows;
  }

 private:
  Gpubench gpubench_;
};

double number(const TsvRow& row, const std::string& column) {
  INFO(column << ": '" << row.at(column) << "'");
  REQUIRE_FALSE(row.at(column).empty());
  return std::stod(row.at(column));
}

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t widest = 0;
  const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
  // Ignores truncated titles.
  for (std::string line; std::getline(lines, line);) {
    const auto width = static_cast<std::size_t>(std::ranges::count_if(line, is_start));
    if (!line.ends_with("…")) widest = std::max(widest, width);
  }
  return widest;
}

/// Returns "faster", "slower", "open" or, without an interval, "unknown".
std::string outcome(const TsvRow& row, const std::string& ratio = "speed_ratio") {
  if (row.at(ratio + "_low").empty()) return "unknown";
  if (number(row, ratio + "_low") > 1) return "faster";
  return number(row, ratio + "_high") < 1 ? "slower" : "open";
}

}  // namespace

TEST_CASE("verdicts on speed and the gate follow from the interval of the ratio", "[seam]") {
  struct Row {
    std::string what;
    int repeats;
    double factor;  ///< Times after the change over times before it.
    double scatter;
    std::string outcome;
    std::string words;
    int gate;
  };
  const std::vector<Row> rows = {
      {"equal", 5, 1, kScatter, "open", "equal within 5 %", 0},
      {"slower", 5, 1.1, kScatter, "slower", "is 0.909 times as fast as before", 6},
      {"faster", 5, 0.5, kScatter, "faster", "is 2.00 times as fast as before", 0},
      {"slower by less than the threshold", 5, 1.03, kScatter, "slower", "is 0.971 times as fast", 0},
      {"too much scatter", 5, 1.03, 0.1, "open", "Inconclusive", 7},
      {"three processes a side", 3, 1.3, kScatter, "slower", "is 0.769 times as fast", 6},
      {"two processes a side", 2, 1.3, kScatter, "unknown", "Unknown: after (", 7},
      {"one process a side", 1, 2, kScatter, "unknown", "was measured 0.500 times as fast", 7},
      {"one process a side, faster", 1, 0.5, kScatter, "unknown", "was measured 2.00 times as fast", 7},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const FilePair pair(make_run(row.repeats, 1, row.scatter),
                        make_run(row.repeats, row.factor, row.scatter));
    CHECK_THAT(pair.compare().out, contains_text(row.words));
    const std::vector<TsvRow> data = pair.data();
    CHECK(data.size() == 2);
    for (const TsvRow& line : data) {
      CHECK(number(line, "speed_ratio") == approx(1 / row.factor));
      CHECK(outcome(line) == row.outcome);
      CHECK(line.at("repetitions") == std::to_string(row.repeats));
    }
    CHECK(pair.gate() == row.gate);
  }
}

TEST_CASE("the answer of the gate depends on its threshold", "[seam]") {
  const FilePair pair(make_run(), make_run(5, 1.1));
  for (const auto& [threshold, code] :
       {std::pair("0%", 6), {"5%", 6}, {"9%", 6}, {"10%", 7}, {"11%", 0}, {"50%", 0}}) {
    INFO(threshold);
    CHECK(pair.gate(threshold) == code);
  }
  const FilePair faster(make_run(), make_run(5, 0.9));
  CHECK(faster.gate("0%") == 0);
  CHECK(faster.run({"compare", "before.json", "--gate", "5%"}).exit_code == 2);
}

TEST_CASE("the page of the gate has a verdict per case and one for all", "[seam]") {
  const Edit slow_first = [](Json& run) {
    for (Json& row : run["results"]) {
      if (row["asked"]["batch_size"] != 32) continue;
      for (Json& seconds : row["samples"]["epoch_seconds"]) seconds = 1.2 * seconds.get<double>();
    }
  };
  const FilePair pair(make_run(), edited(make_run(), slow_first));
  const auto result = pair.compare({"--gate", "5%"});
  CHECK(result.exit_code == 6);
  CHECK(result.err.empty());
  std::istringstream lines(result.out);
  std::string slow;
  std::string same;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("mlp, batch 32 ")) slow = line;
    if (line.starts_with("mlp, batch 128 ")) same = line;
  }
  CHECK_THAT(slow, contains_text("1.20") && contains_text("regression"));
  CHECK_THAT(same, contains_text("1.00") && contains_text("pass"));
}

TEST_CASE("a difference leaves times comparable, is a caution or prevents a comparison, which fails the gate",
          "[seam]") {
  struct Row {
    std::string what;
    Edit edit;
    std::string verdict;
  };
  const std::vector<Row> rows = {
      {"host", at("/environment/host", "other"), "comparable"},
      {"kernel", at("/environment/kernel", "Linux 7"), "comparable"},
      {"host memory", at("/environment/memory_bytes", 1 << 30), "comparable"},
      {"seed", each_row("asked/seed", 7), "comparable"},
      {"learning rate", each_row("asked/learning_rate", 7), "comparable"},
      {"power limit", at("/environment/devices/0/power_limit_watts", 100), "comparable"},
      {"threads", at("/environment/threads", 4), "caution"},
      {"available cores", at("/environment/available_cores", 4), "caution"},
      {"allocator", at("/environment/allocator", "system"), "caution"},
      {"version of gpubench", at("/tool/version", "9.9.9"), "caution"},
      {"commit of gpubench", at("/tool/git_commit", "fffffff"), "caution"},
      {"version of LibTorch", at("/environment/libtorch_version", "9.9"), "caution"},
      {"build of LibTorch", at("/environment/libtorch_build", "none"), "caution"},
      {"driver", at("/environment/devices/0/driver", "999.9"), "caution"},
      {"data", at("/environment/datasets/0/files/0/sha256", std::string(64, 'b')), "caution"},
      {"timing protocol", each_row("asked/protocol", "fit"), "caution"},
      {"loader", each_row("asked/loader", "host"), "caution"},
      {"execution", each_row("facts/execution_used", "graph"), "caution"},
      {"layout", each_row("facts/layout_used", "channels-last"), "caution"},
      {"optimizer", each_row("facts/optimizer", "sgd"), "caution"},
      {"last batch", each_row("facts/last_batch_dropped", true), "caution"},
      {"stopping", each_row("facts/stopped_by", "deadline"), "caution"},
      {"warm-up", each_row("asked/warmup_epochs", 0), "caution"},
      {"least time", each_row("asked/min_timed_seconds", 60), "caution"},
      {"warnings", each_row("warnings", {{{"kind", "load"}, {"figure", 9}, {"text", "load was 9"}}}),
       "caution"},
      {"precision", each_row("asked/precision", "bf16"), "refused"},
      {"parameters", each_row("facts/parameters", 1), "refused"},
      {"multiply-accumulates", each_row("facts/forward_macs", 1), "refused"},
      {"samples an epoch", each_row("facts/train_samples", 40000), "refused"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    Json before = make_run();
    before["plan"] = {{"kind", "training"}, {"suite", ""}, {"order_seed", 0}};
    before["environment"]["devices"][0]["power_limit_watts"] = 100;
    const FilePair pair(before, edited(before, row.edit));
    for (const TsvRow& line : pair.data()) {
      CHECK(line.at("time_comparability") == row.verdict);
      CHECK(line.at("speed_ratio").empty() == (row.verdict == "refused"));
    }
    CHECK(pair.gate() == (row.verdict == "refused" || row.what == "threads" ? 8 : 0));
    if (row.verdict == "caution") {
      const std::string gate = pair.compare({"--gate", "5%", "--allow", "thread-count"}).out;
      CHECK_THAT(gate, contains_text(row.what == "warnings" ? "Disturbed" : "Different"));
    }
  }
}

TEST_CASE("the gate refuses other settings unless they are allowed, and prints what drifts", "[seam]") {
  struct Row {
    Edit edit;
    std::string allowed;
  };
  const Edit make_synthetic = each_row("facts/synthetic", true);
  for (const auto& [edit, name] : {Row{at("/environment/threads", 4), "thread-count"},
                                   {at("/environment/cpu", "Processor 1"), "cpu-model"},
                                   {make_synthetic, "data-kind"}}) {
    INFO(name);
    const FilePair pair(make_run(), edited(make_run(5, 2), edit));
    CHECK(pair.gate() == 8);
    CHECK_THAT(pair.compare({"--gate", "5%"}).out, contains_text(name));
    CHECK(pair.compare({"--gate", "5%", "--allow", name}).exit_code == 6);
    const FilePair faster(make_run(), edited(make_run(5, 0.5), edit));
    CHECK(faster.gate() == 8);
  }
  const FilePair kernel(edited(make_run(), at("/environment/wait_policy", "active")),
                        edited(make_run(), at("/environment/wait_policy", "passive")));
  CHECK(kernel.gate() == 0);
  CHECK_THAT(kernel.compare({"--gate", "5%"}).out, contains_text("Different wait policy"));
  CHECK(kernel.compare({"--gate", "5%", "--allow", "wait-policy"}).exit_code == 2);
  CHECK(kernel.compare({"--allow", "thread-count"}).exit_code == 2);
}

TEST_CASE("a changed file is a caution everywhere, and fails the gate", "[seam]") {
  Json changed = make_run(5, 0.1);
  changed["content_sha256"] = std::string(64, '0');
  const FilePair pair(make_run(), changed);
  const std::string caution = "content_sha256 does not match";
  CHECK_THAT(pair.compare().out, contains_text(caution));
  CHECK_THAT(pair.run({"show", "after.json"}).out, contains_text(caution));
  pair.run({"report", "before.json", "after.json", "-o", "report.txt"});
  CHECK_THAT(pair.read("report.txt"), contains_text(caution));
  CHECK_THAT(pair.compare({"--gate", "5%"}).out, contains_text(caution));
  CHECK(pair.gate() == 8);
  CHECK(pair.compare({"--gate", "5%", "--allow", "changed-file"}).exit_code == 0);
}

TEST_CASE("several metrics are gated at once, each by its own threshold", "[seam]") {
  const auto with_memory = [](int mebibytes) {
    return edited(make_run(), [=](Json& run) {
      for (Json& row : run["results"]) row["facts"]["peak_host_bytes"] = (std::int64_t{mebibytes} << 20);
    });
  };
  const FilePair pair(with_memory(100), with_memory(120));
  CHECK(pair.gate() == 0);
  CHECK(pair.gate("5%,peak_bytes:30%") == 0);
  CHECK(pair.gate("5%,peak_bytes:10%") == 6);
  CHECK_THAT(pair.compare({"--gate", "5%,peak_bytes:10%"}).out, contains_text("peak memory"));
  CHECK(pair.gate("peek_bytes:10%") == 2);
  CHECK_THAT(pair.compare({"--metric", "memory"}).out,
             contains_text("Peak memory: after is 0.833 times as memory-efficient as before"));
}

TEST_CASE("fits are compared by the time of the fit, and single streams by their latency", "[seam]") {
  const auto as_fit = [](double setup) {
    return edited(make_run(), [=](Json& run) {
      for (Json& row : run["results"]) {
        row["asked"]["protocol"] = "fit";
        row["facts"]["setup_seconds"] = setup;
      }
    });
  };
  // The epochs are equal; only the set-up differs.
  const FilePair fits(as_fit(1), as_fit(100));
  for (const TsvRow& row : fits.data()) {
    CHECK(row.at("metric") == "fit_seconds");
    CHECK(row.at("verdict") == "slower");
    CHECK(number(row, "median_epoch_seconds_ratio") == approx(1));
  }
  CHECK(fits.gate() == 6);
  CHECK_THAT(fits.run({"show", "after.json"}).out, contains_text("fit time"));

  const auto as_stream = [](double factor) {
    return edited(make_run(5, factor), [=](Json& run) {
      for (Json& row : run["results"]) {
        row["workload"] = "infer";
        row["asked"]["protocol"] = "single-stream";
        const std::size_t epochs = row["samples"]["epoch_seconds"].size();
        row["facts"]["blocks_per_epoch"] = 4;
        row["samples"]["block_steps"] = {1, 1, 1, 1};
        Json blocks = Json::array();
        for (std::size_t i = 0; i < 4 * epochs; ++i)
          blocks.push_back(0.00055 * factor * (1 + 0.01 * static_cast<double>(i % 4)));
        row["samples"]["block_seconds"] = blocks;
      }
    });
  };
  const FilePair streams(as_stream(1), as_stream(0.5));
  for (const TsvRow& row : streams.data()) {
    CHECK(row.at("metric") == "p50_latency_seconds");
    CHECK(number(row, "p99_latency_seconds_ratio") == approx(2));
  }
  CHECK_THAT(streams.run({"show", "after.json"}).out, contains_text("latency p50 279 µs"));
  CHECK_THAT(streams.compare().out, contains_text("558 µs") && contains_text("279 µs"));
  CHECK(streams.gate("5%,p99_latency_seconds:5%") == 0);
  CHECK(FilePair(as_stream(1), as_stream(1.2)).gate("p99_latency_seconds:10%") == 6);
}

TEST_CASE("files without a common case name the command that measures one", "[seam]") {
  const FilePair pair(make_run(), edited(make_run(), each_row("asked/model", "cnn")));
  CHECK_THAT(pair.compare().out,
             contains_text("To measure a case of before here:") && contains_text("--model mlp"));
}

TEST_CASE("a faster run with a worse loss is a caution", "[seam]") {
  const auto with_loss = [](double loss, double factor) {
    return edited(make_run(5, factor), [=](Json& run) {
      for (Json& row : run["results"]) row["samples"]["training"]["loss"] = Json::array({2.0, 1.0, loss});
    });
  };
  const FilePair worse(with_loss(0.5, 1), with_loss(0.6, 0.5));
  CHECK_THAT(worse.compare().out, contains_text("Worse final loss in after than in before"));
  CHECK_THAT(worse.compare({"--gate", "5%"}).out, contains_text("Worse final loss"));
  CHECK(worse.gate("final_loss:10%") == 6);
  const FilePair same(with_loss(0.5, 1), with_loss(0.51, 0.5));
  CHECK_THAT(same.compare().out, !contains_text("Worse final loss"));
}

TEST_CASE("two files, three files, the report, data and the gate agree on each pair", "[seam]") {
  // Pseudo-random factors and scatters; each set is compared in all ways.
  std::uint64_t state = 1;
  const auto draw = [&state] {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state >> 40) / static_cast<double>(1U << 24);
  };
  for (int set = 0; set < 200; ++set) {
    const double factor = 0.8 + 0.4 * draw();
    const double scatter = 0.002 + 0.1 * draw() * draw();
    const int repeats = 1 + static_cast<int>(6 * draw());
    const FilePair files(make_run(repeats, 1, scatter), make_run(repeats, factor, scatter));
    files.write("third.json", make_run(repeats, 0.8 + 0.4 * draw(), scatter));
    INFO("set " << set << ": factor " << factor << ", scatter " << scatter << ", " << repeats << " repeats");
    const auto pair = parse_tsv(files.compare({"--format", "tsv"}).out);
    auto three =
        parse_tsv(files.run({"compare", "before.json", "after.json", "third.json", "--format", "tsv"}).out);
    std::erase_if(three, [](const TsvRow& row) { return row.at("file") == "third.json"; });
    REQUIRE(pair.size() == three.size());
    for (std::size_t i = 0; i < pair.size(); ++i) {
      for (const char* column : {"speed_ratio", "speed_ratio_low", "verdict", "metric", "time_comparability"})
        CHECK(pair[i].at(column) == three[i].at(column));
    }
    const std::string answer = files.compare().out;
    files.run({"report", "before.json", "after.json", "-o", "report.txt", "-q"});
    const std::string report = files.read("report.txt");
    CHECK(report.starts_with(answer.substr(0, answer.find("Cases"))));
    // The gate decides by medians: it may pass where the pair is inconclusive, but never the other way round.
    const int code = files.gate("0%");
    for (const TsvRow& row : pair) {
      if (row.at("verdict") == "slower") CHECK((code == 6 || code == 7));
      if (row.at("verdict") == "faster") CHECK(code != 8);
      if (row.at("verdict") == "unknown") CHECK(code == 7);
    }
  }
}

TEST_CASE("--unlike compares different workloads, which are an error of the gate without it", "[seam]") {
  const FilePair pair(make_run(), edited(make_run(5, 0.5), each_row("asked/precision", "bf16")));
  CHECK_THAT(pair.compare().out, contains_text("refused: precision"));
  for (const TsvRow& line : pair.data({"--unlike"})) {
    CHECK(line.at("time_comparability") == "caution");
    CHECK(number(line, "speed_ratio") == approx(2));
  }
  CHECK(pair.gate() == 8);
}

TEST_CASE("a case that fails only after the change is a regression", "[seam]") {
  const std::vector<std::string> failures = {"oom",     "unsupported", "error",       "diverged", "timeout",
                                             "crashed", "skipped",     "interrupted", "invalid"};
  for (const std::string& status : failures) {
    INFO(status);
    const FilePair worse(make_run(), edited(make_run(), fail_first(status)));
    CHECK(worse.gate() == 6);
    CHECK_THAT(worse.compare({"--gate", "5%"}).out,
               contains_text("mlp, batch 32: was ok, now " + status + " (made to fail)"));
    CHECK(worse.data()[0].at("status") == status);
    CHECK(worse.data()[0].at("speed_ratio").empty());
    CHECK(number(worse.data()[1], "speed_ratio") == approx(1));
  }
  const FilePair better(edited(make_run(), fail_first("oom")), make_run());
  CHECK(better.gate() == 0);
  const FilePair both(edited(make_run(), fail_first("oom")), edited(make_run(), fail_first("oom")));
  CHECK(both.gate() == 0);
}

TEST_CASE("failed repeats of a case are ignored if others succeeded", "[seam]") {
  const Edit fail_one = [](Json& run) {
    run["results"][2]["status"] = "crashed";
    run["results"][2]["status_message"] = "made to fail";
    run["results"][2]["samples"]["epoch_seconds"] = Json::array();
  };
  const FilePair pair(make_run(), edited(make_run(), fail_one));
  CHECK(pair.data()[0].at("status") == "ok");
  CHECK(pair.data()[0].at("repetitions") == "4");
  CHECK(pair.data()[1].at("repetitions") == "5");
  CHECK(number(pair.data()[0], "speed_ratio") == approx(1).epsilon(0.002));
}

TEST_CASE("a case that is missing after the change is incomparable; a new case is ignored", "[seam]") {
  const Edit drop_first = [](Json& run) {
    std::erase_if(run["results"].get_ref<Json::array_t&>(),
                  [](const Json& row) { return row["asked"]["batch_size"] == 32; });
  };
  CHECK(FilePair(make_run(), edited(make_run(), drop_first)).gate() == 8);
  CHECK(FilePair(edited(make_run(), drop_first), make_run()).gate() == 0);
  const FilePair none(make_run(), edited(make_run(), each_row("asked/model", "cnn")));
  CHECK(none.gate() == 8);
  CHECK_THAT(none.compare().out, contains_text("no case in common"));
}

TEST_CASE("values that do not describe the measurement do not affect the ratio", "[seam]") {
  const std::vector<std::pair<std::string, Edit>> edits = {
      {"the warm-up epoch",
       [](Json& run) {
         for (Json& row : run["results"]) row["samples"]["epoch_seconds"][0] = 100;
       }},
      {"one slow epoch of each process",
       [](Json& run) {
         for (Json& row : run["results"]) row["samples"]["epoch_seconds"][1] = 100;
       }},
      {"one slow process of a case",
       [](Json& run) {
         for (Json& seconds : run["results"][1]["samples"]["epoch_seconds"]) seconds = 100;
       }},
      {"the order of rows",
       [](Json& run) {
         auto& rows = run["results"].get_ref<Json::array_t&>();
         std::reverse(rows.begin(), rows.end());
       }},
      {"a key that gpubench does not know", each_row("future_key", {{"is", "ignored"}})},
      {"the command line", at("/tool/arguments", Json::array({"--model", "vgg"}))},
  };
  for (const auto& [what, edit] : edits) {
    INFO(what);
    const FilePair pair(make_run(), edited(make_run(), edit));
    const std::vector<TsvRow> data = pair.data();
    CHECK(data.size() == 2);
    for (const TsvRow& line : data) CHECK(number(line, "speed_ratio") == approx(1).epsilon(0.002));
  }
}

TEST_CASE("a margin for equality decides between equal and inconclusive", "[seam]") {
  const FilePair pair(make_run(), make_run(5, 1, 0.005));
  CHECK_THAT(pair.compare().out, contains_text("equal within 5 %"));
  CHECK_THAT(pair.compare({"--equivalence-margin", "0.1%"}).out, contains_text("Inconclusive"));
  CHECK_THAT(pair.compare({"--equivalence-margin", "20%"}).out, contains_text("equal within 20 %"));
}

TEST_CASE("the baseline is the first file or that of --baseline, which inverts the ratio", "[seam]") {
  const FilePair pair(make_run(), make_run(5, 0.5));
  const auto against = pair.run({"compare", "after.json", "--baseline", "before.json", "--format", "tsv"});
  CHECK(against.out == pair.compare({"--format", "tsv"}).out);
  const auto swapped = parse_tsv(pair.run({"compare", "after.json", "before.json", "--format", "tsv"}).out);
  CHECK(number(swapped.back(), "speed_ratio") == approx(0.5));
  CHECK(outcome(swapped.back()) == "slower");
  CHECK(number(pair.data().back(), "speed_ratio") == approx(2));
}

TEST_CASE("each of several files is compared with the first one", "[seam]") {
  const FilePair files(make_run(), make_run(5, 0.5));
  files.write("third.json", make_run(5, 2));
  const auto result = files.run({"compare", "before.json", "after.json", "third.json", "--format", "tsv"});
  CHECK(result.exit_code == 0);
  std::map<std::string, std::string> outcomes;
  for (const TsvRow& row : parse_tsv(result.out)) {
    if (!row.at("against").empty()) outcomes[row.at("file")] += outcome(row) + " ";
  }
  CHECK(outcomes == std::map<std::string, std::string>{{"after.json", "faster faster "},
                                                       {"third.json", "slower slower "}});
}

TEST_CASE("the answer fits a terminal, and --details prints more", "[seam]") {
  const FilePair pair(make_run(), edited(make_run(5, 0.5), at("/environment/threads", 4)));
  const std::string answer = pair.compare().out;
  CHECK(std::count(answer.begin(), answer.end(), '\n') <= 40);
  CHECK(widest_line(answer) <= 80);
  CHECK_THAT(answer, contains_text("Different thread count: before 8, after 4"));
  const std::string details = pair.compare({"--details"}).out;
  CHECK(details.starts_with(answer));
  CHECK(details.size() > 2 * answer.size());
}

TEST_CASE("with few processes, there is a hint instead of a verdict", "[seam]") {
  CHECK_THAT(FilePair(make_run(2), make_run(2, 2)).compare().out, contains_text("use --repeat 5"));
  const FilePair three(make_run(2), make_run(2, 0.5));
  three.write("third.json", make_run(2, 2));
  const std::string out = three.run({"compare", "before.json", "after.json", "third.json"}).out;
  CHECK_THAT(out, contains_text("after was measured fastest") && contains_text("use --repeat 5"));
}

TEST_CASE("machines are ranked by intervals of ranks, with a ratio for each", "[seam]") {
  const FilePair files(make_run(), make_run(5, 0.5));
  files.write("third.json", make_run(5, 1.001));
  const std::string out = files.run({"compare", "before.json", "after.json", "third.json"}).out;
  CHECK_THAT(out, contains_text("after is the fastest") &&
                      contains_text("Speed relative to before: after 2.00 (") &&
                      contains_text("; third 0.999 ("));
  CHECK_THAT(
      out, contains_text("   1  after ") && contains_text(" 2-3  before ") && contains_text(" 2-3  third "));
  CHECK(widest_line(out) <= 80);
  const auto baseline = files.run({"compare", "after.json", "third.json", "--baseline", "third.json"});
  CHECK_THAT(baseline.out, contains_text("after (") && contains_text("as third"));
}

TEST_CASE("precisions are ranked apart, since their pairs are refused", "[seam]") {
  Json mixed = make_run();
  append_all(mixed["results"], edited(make_run(5, 0.25), each_row("asked/precision", "bf16"))["results"]);
  const FilePair files(make_run(5, 0.5), mixed);
  files.write("third.json", edited(make_run(5, 2), each_row("asked/precision", "bf16")));
  const std::string out = files.run({"compare", "before.json", "after.json", "third.json"}).out;
  CHECK_THAT(
      out, contains_text("before is the fastest") && contains_text("Speed relative to before: after 0.500"));
  CHECK_THAT(out, contains_text("relative to after"));
}

TEST_CASE("a price per hour adds the cost of a million samples", "[seam]") {
  const FilePair files(make_run(), make_run(5, 0.5));
  const auto priced = [&](const std::string& price) {
    return files.compare({"--price", "before.json=0.5", "--price", price});
  };
  CHECK_THAT(priced("after=3.6").out, contains_text("cheapest first: before ") && contains_text("cost/1M"));
  CHECK(priced("nobody=3.6").exit_code == 2);
  CHECK(priced("after").exit_code == 2);
}

TEST_CASE("devices of the same kind are compared, and the devices of a single file with each other",
          "[seam]") {
  const Edit add_gpu = [](Json& run) {
    Json gpu = run["environment"]["devices"][0];
    gpu.update({{"name", "cuda:0"}, {"model", "GPU 6000"}});
    run["environment"]["devices"].push_back(gpu);
    Json rows = run["results"];
    for (Json& row : rows) {
      row["asked"]["device"] = "cuda:0";
      for (Json& seconds : row["samples"]["epoch_seconds"]) seconds = seconds.get<double>() / 10;
    }
    append_all(run["results"], rows);
  };
  const FilePair pair(edited(make_run(), add_gpu), edited(make_run(5, 0.5), add_gpu));
  std::map<std::string, int> seen;
  for (const TsvRow& line : pair.data()) {
    CHECK(number(line, "speed_ratio") == approx(2));
    ++seen[line.at("device")];
  }
  CHECK(seen == std::map<std::string, int>{{"cpu", 2}, {"cuda:0", 2}});
  const auto within = pair.run({"compare", "before.json", "--format", "tsv"});
  CHECK(within.exit_code == 0);
  CHECK(number(parse_tsv(within.out).back(), "speed_ratio") == approx(10));
  CHECK(parse_tsv(within.out).back().at("device") == "cuda:0");
}

TEST_CASE("--values prints epoch times, the ratio of each case and the geometric mean", "[seam]") {
  const Edit slow_second = [](Json& run) {
    for (Json& row : run["results"]) {
      if (row["asked"]["batch_size"] != 128) continue;
      for (Json& seconds : row["samples"]["epoch_seconds"]) seconds = 4 * seconds.get<double>();
    }
  };
  const FilePair pair(make_run(), edited(make_run(), slow_second));
  const auto times = pair.values("median_epoch_seconds");
  REQUIRE(times.size() == 4);
  CHECK(number(times[0], "value") == approx(6.4));
  CHECK(number(times[1], "value") == approx(2.4));
  CHECK(number(times[3], "value") == approx(9.6));
  std::map<std::string, double> means;
  for (const TsvRow& row : pair.values("speed_ratio")) {
    if (row.at("scope") == "case") {
      CHECK(number(row, "value") == approx(row.at("batch_size") == "32" ? 1 : 0.25));
    } else {
      means[row.at("scope")] = number(row, "value");
      CHECK(row.at("cases") == "2");
    }
  }
  CHECK(means["model"] == approx(0.5));
  CHECK(means["all"] == approx(0.5));
}

TEST_CASE("variants of ab are compared round by round, despite their intended differences", "[seam]") {
  const auto side = [](const std::string& name, int rounds, double factor) {
    Json run = make_run(rounds, factor, 0.01);
    run["plan"] = {{"kind", "training"},
                   {"suite", ""},

                   {"order_seed", 0},
                   {"interleaved_run", "2026-01-01T00-00-00Z-1"},
                   {"variant", name}};
    return run;
  };
  struct Row {
    int rounds;
    double factor;
    std::string outcome;
    int gate;
  };
  for (const Row& row : {Row{2, 2, "unknown", 7},
                         {5, 2, "slower", 6},
                         {9, 1.1, "slower", 6},
                         {9, 0.9, "faster", 0},
                         {9, 1, "open", 0}}) {
    INFO(row.rounds << " rounds, factor " << row.factor);
    const FilePair pair(side("A", row.rounds, 1), side("B", row.rounds, row.factor));
    for (const TsvRow& line : pair.data()) {
      CHECK(number(line, "speed_ratio") == approx(1 / row.factor));
      CHECK(outcome(line) == row.outcome);
    }
    CHECK(pair.gate() == row.gate);
  }
  for (const auto& [edit, words] : {std::pair{each_row("asked/precision", "amp-bf16"), "precision amp-bf16"},
                                    {each_row("asked/accumulate", 4), "gradient accumulation 4"},
                                    {each_row("asked/world_size", 2), "ranks 2"}}) {
    const FilePair other(side("A", 9, 1), edited(side("B", 9, 0.5), edit));
    CHECK_THAT(other.compare().out, contains_text(words));
    for (const TsvRow& line : other.data()) {
      CHECK(line.at("time_comparability") == "comparable");
      CHECK(outcome(line) == "faster");
    }
  }
}

TEST_CASE("operations have the same verdicts and gate as trainings", "[seam]") {
  struct Row {
    std::string what;
    Json after;
    int gate;
    std::string words;
  };
  const std::vector<Row> rows = {
      {"equal", make_ops(), 0, "equal within 5 %"},
      {"slower", make_ops(5, 1.2), 6, "slower"},
      {"faster", make_ops(5, 0.5), 0, "faster"},
      {"one process", make_ops(1, 1.2), 7, "unknown"},
      {"incorrect", edited(make_ops(), fail_first("incorrect")), 6, "incorrect"},
      {"unsupported", edited(make_ops(), fail_first("unsupported")), 6, "unsupported"},
      {"out of memory", edited(make_ops(), fail_first("oom")), 6, "oom"},
      {"on the CPU after all", edited(make_ops(), fail_first("cpu-fallback")), 6, "cpu-fallback"},
      {"another type", edited(make_ops(), each_row("asked/type", "fp64")), 8, "no row in common"},
      {"another direction", edited(make_ops(), each_row("asked/direction", "forward+backward")), 8,
       "no row in common"},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const FilePair pair(make_ops(), row.after);
    const auto compared = pair.compare();
    CHECK(compared.exit_code == 0);
    CHECK_THAT(compared.out, contains_text(row.words));
    CHECK(pair.gate() == row.gate);
  }
  const FilePair fixed(edited(make_ops(), fail_first("incorrect")), make_ops());
  CHECK(fixed.gate() == 0);
}

TEST_CASE("--values operations prints the median call of each row, or its status", "[seam]") {
  const FilePair pair(make_ops(), edited(make_ops(), fail_first("oom")));
  const auto calls = pair.values("median_call_seconds", "operations");
  REQUIRE_FALSE(calls.empty());
  std::map<std::string, std::string> statuses;
  for (const TsvRow& row : calls) {
    statuses[row.at("file")] += row.at("op") + " " + row.at("status") + "; ";
    CHECK(row.at("value").empty() == (row.at("status") != "ok"));
    if (row.at("op") == "matmul" && row.at("status") == "ok")
      CHECK(number(row, "value") == approx(0.0021).epsilon(0.005));
  }
  CHECK_THAT(statuses["before.json"], contains_text("matmul ok") && contains_text("sum_all ok"));
  CHECK_THAT(statuses["after.json"], contains_text("matmul oom") && contains_text("sum_all ok"));
}

TEST_CASE("energies are compared by their own interval and rules, and do not affect the gate", "[seam]") {
  struct Row {
    std::string what;
    Json after;
    std::string verdict;
    double ratio;  ///< 0: no ratio is shown.
  };
  const std::vector<Row> rows = {
      {"the same", with_energy(make_run(), 50), "comparable", 1},
      {"half the power", with_energy(make_run(), 25), "comparable", 2},
      {"twice the power", with_energy(make_run(), 100), "comparable", 0.5},
      {"power samples", with_energy(make_run(), 50, {{"method", "trapezoid"}}), "comparable", 1},
      {"a biased method", with_energy(make_run(), 50, {{"method", "spike-q30"}}), "caution", 1},
      {"another meter", with_energy(make_run(), 50, {{"meter", "nvml"}}), "caution", 1},
      {"a replayed meter", with_energy(make_run(), 50, {{"meter", "replay"}}), "caution", 1},
      {"an unknown scope", with_energy(make_run(), 50, {{"scope", "unknown"}}), "caution", 1},
      {"another scope", with_energy(make_run(), 50, {{"scope", "system"}}), "refused", 0},
      {"none", make_run(), "", 0},
  };
  for (const Row& row : rows) {
    INFO(row.what);
    const FilePair pair(with_energy(make_run(), 50), row.after);
    for (const TsvRow& line : pair.data()) {
      CHECK(line.at("energy_comparability") == row.verdict);
      if (row.ratio > 0) {
        CHECK(number(line, "mean_epoch_joules_ratio") == approx(row.ratio));
      } else {
        CHECK(line.at("mean_epoch_joules_ratio").empty());
      }
      CHECK(number(line, "speed_ratio") == approx(1));
    }
    CHECK(pair.gate() == 0);
  }
}

TEST_CASE("the ratio of the energy-delay product is the product of both ratios, each with an interval",
          "[seam]") {
  const FilePair pair(with_energy(make_run(), 50), with_energy(make_run(5, 0.5), 25));
  for (const TsvRow& line : pair.data()) {
    CHECK(number(line, "speed_ratio") == approx(2));
    CHECK(number(line, "mean_epoch_joules_ratio") == approx(4));
    CHECK(number(line, "energy_delay_product_ratio") == approx(8));
    for (const char* ratio : {"speed_ratio", "mean_epoch_joules_ratio", "energy_delay_product_ratio"})
      CHECK(outcome(line, ratio) == "faster");
  }
  CHECK_THAT(pair.compare().out,
             contains_text("Energy per epoch: after is 4.00 times as energy-efficient as before"));
  const FilePair single(with_energy(make_run(1), 50), with_energy(make_run(1), 25));
  for (const TsvRow& line : single.data()) CHECK(outcome(line, "mean_epoch_joules_ratio") == "unknown");
}

TEST_CASE("documents of other kinds are skipped with a message, and are an error of the gate", "[seam]") {
  const FilePair pair(make_run(), make_run());
  const std::string plain = pair.compare().out;
  for (const std::string& other :
       {kFixtures + "operations.json", kCorpus + "peak/measured.json", kCorpus + "selftest/measured.json"}) {
    INFO(other);
    const auto result = pair.compare({other});
    CHECK(result.exit_code == 0);
    CHECK(result.out == plain);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    CHECK_THAT(result.err, contains_text(std::filesystem::path(other).filename().string()));
    CHECK(pair.compare({other, "--gate", "5%"}).exit_code == 2);
  }
  CHECK(pair.run({"compare", kCorpus + "peak/measured.json", kCorpus + "peak/measured.json"}).exit_code != 0);
}

TEST_CASE("all formats of a comparison have the same ratio", "[seam]") {
  const FilePair pair(make_run(), make_run(5, 0.5));
  for (const std::string format : {"txt", "md", "html", "svg", "csv", "tsv"}) {
    INFO(format);
    const auto result = pair.compare({"--format", format});
    CHECK(result.exit_code == 0);
    CHECK(result.err.empty());
    if (format != "svg")
      CHECK_THAT(result.out, contains_text(format == "csv" || format == "tsv" ? "2" : "2.0"));
  }
}

TEST_CASE("a run without cases, or without an ok one, has no verdict", "[seam]") {
  const Edit empty = [](Json& run) { run["results"] = Json::array(); };
  const Edit failed = [](Json& run) {
    each_row("status", "crashed")(run);
    each_row("samples/epoch_seconds", Json::array())(run);
  };
  const FilePair none(make_run(), edited(make_run(), empty));
  CHECK(none.compare().exit_code != 0);
  CHECK(none.gate() == 3);
  const FilePair crashed(make_run(), edited(make_run(), failed));
  CHECK(crashed.gate() == 6);
  CHECK(FilePair(edited(make_run(), failed), make_run()).gate() == 8);
}

}  // namespace gpubench::test::seam_verdicts_test
