#include "supervision.h"

#include <chrono>
#include <fstream>
#include <stdexcept>
#include <thread>

#include "support/catch.h"
#include "support/paths.h"
#include "support/schema.h"

namespace gpubench::test {

void Supervision::behave(const std::string& behaviour) {
  gpubench_.set("GPUBENCH_WORKER_PREFIX", stand_in_worker() + " " + behaviour);
}

std::vector<std::string> Supervision::arguments(const std::vector<std::string>& more) {
  std::vector<std::string> words{"--model",   "mlp,cnn",   "--batch",  "16,32,64",      "--epochs",
                                 "3",         "--device",  "cpu",      "--max-samples", "4",
                                 "--dataset", "synthetic", "--output", "run.json"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

bool Supervision::wait_for(const StoredCounts& least) const {
  return wait_until([&] {
    const StoredCounts counts = stored();
    return counts.begun >= least.begun && counts.ended >= least.ended && counts.epochs >= least.epochs;
  });
}

Json Supervision::document() const {
  std::ifstream in(gpubench_.folder() / "run.json");
  REQUIRE(in);
  return Json::parse(in);
}

void check_whole(const Json& document) {
  for (const std::string& error : schema_errors(document)) {
    INFO(error);
    CHECK(error.empty());
  }
  REQUIRE(document["results"].size() == 6);
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(document["results"][i]["asked"]["model"] == (i < 3 ? "mlp" : "cnn"));
    CHECK(document["results"][i]["asked"]["batch_size"] == (16 << (i % 3)));
  }
}

void check_all_ok(const Json& document) {
  check_whole(document);
  CHECK(statuses(document) == "ok ok ok ok ok ok ");
  for (const Json& row : document["results"]) CHECK(row["samples"]["epoch_seconds"].size() == 3);
}

Json to_row(const Json& document, const std::string& model, int batch) {
  for (const Json& row : document["results"]) {
    if (row["asked"]["model"] == model && row["asked"]["batch_size"] == batch) return row;
  }
  throw std::runtime_error("no row of " + model);
}

std::string statuses(const Json& document) {
  std::string words;
  for (const Json& row : document["results"]) words += row["status"].get<std::string>() + " ";
  return words;
}

void check_kept(const Json& before, const Json& after) {
  REQUIRE(before.size() == after.size());
  for (std::size_t i = 0; i < before.size(); ++i) {
    INFO("row " << i);
    Json kept = without_reasons(after[i]);
    // A reason that all cases share moves to the document.
    if (before[i].contains("energy_note")) kept["energy_note"] = before[i]["energy_note"];
    if (before[i]["status"] == "ok") CHECK(kept == without_reasons(before[i]));
  }
}

bool has_worker(const std::filesystem::path& folder) {
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    const auto program = std::filesystem::read_symlink(process.path() / "exe", error);
    const auto place = std::filesystem::read_symlink(process.path() / "cwd", error);
    if (program == stand_in_worker() && place == std::filesystem::canonical(folder)) return true;
  }
  return false;
}

bool has_sanitized_memory() {
#ifdef __SANITIZE_ADDRESS__
  WARN("skipped: the address sanitizer delays freeing memory, and aborts after a failed allocation");
  return true;
#else
  return false;
#endif
}

bool wait_until(const std::function<bool()>& is_true) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(60);
  while (Clock::now() < end) {
    if (is_true()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  return false;
}

}  // namespace gpubench::test
