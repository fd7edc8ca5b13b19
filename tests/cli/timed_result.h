#pragma once
// Result files with epochs at known times, for imports of power logs.

#include <fstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpubench_process.h"
#include "support/paths.h"

namespace gpubench::test {

using Json = nlohmann::json;

inline Json read_json(const std::filesystem::path& path) { return Json::parse(std::ifstream(path)); }

/// Returns a case with epochs 2.25, 6.5 and 11.125 s after `started_at`; the first one is warm-up.
inline Json timed_case(const Json& pattern, const std::string& started_at) {
  Json record = pattern;
  record["asked"]["epochs"] = 3;
  record["asked"]["min_epochs"] = 3;
  record["asked"]["warmup_epochs"] = 1;
  record["samples"]["epoch_seconds"] = {4.25, 4.25, 4.0};
  record["facts"]["started_at"] = started_at;
  record["facts"]["clock_start_seconds"] = 997.0;
  record["missing"].erase("start");
  record["samples"]["timeline"] = Json::array();
  const double starts[] = {2.25, 6.5, 11.125};
  for (std::size_t i = 0; i < 3; ++i) {
    record["samples"]["timeline"].push_back({{"name", "epoch " + std::to_string(i + 1)},
                                             {"start_seconds", starts[i]},
                                             {"duration_seconds", record["samples"]["epoch_seconds"][i]}});
  }
  return record;
}

/// Writes result.json with a case per start; for an empty start, the case has no times.
inline Json write_result(const Gpubench& gpubench, const std::vector<std::string>& starts,
                         const std::string& device = "cuda:0", const Json& environment = Json::object()) {
  Json document = read_json(source_dir() + "/tests/data/expected/run.json");
  const Json pattern = document.at("results")[0];
  document["results"] = Json::array();
  for (const std::string& start : starts) {
    Json record = start.empty() ? pattern : timed_case(pattern, start);
    if (start.empty()) record["facts"].erase("started_at");
    record["asked"]["batch_size"] = 128 + static_cast<int>(document["results"].size());
    record["asked"]["device"] = device;
    document["results"].push_back(record);
  }
  document["environment"].merge_patch(environment);
  std::ofstream(gpubench.folder() / "result.json") << document;
  return document;
}

}  // namespace gpubench::test
