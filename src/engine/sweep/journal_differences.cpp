#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "engine/execution/case_json.h"
#include "engine/sweep/journal.h"

namespace gpubench {
namespace {

using Sentences = std::vector<std::string>;

constexpr std::size_t kMostCases = 5;  // More would hide the rest.

void compare(Sentences& sentences, const std::string& what, const Json& then, const Json& now) {
  if (then == now) return;
  sentences.push_back(fmt::format("{}: {} in the journal, {} now", what, json_text(then), json_text(now)));
}

/// The values of both objects, key by key.
void compare_objects(Sentences& sentences, const std::string& what, const Json& then, const Json& now) {
  for (const auto& [key, value] : now.items()) {
    compare(sentences, what + ", " + key, then.value(key, Json()), value);
  }
}

void compare_cases(Sentences& sentences, const JournalState& state, const std::vector<Case>& cases) {
  compare(sentences, "cases", state.planned, cases.size());
  Sentences found;
  for (std::size_t i = 0; i < std::min(state.planned, cases.size()); ++i) {
    compare_objects(found, fmt::format("case {}", i + 1), state.cases[i].plan, to_json(cases[i]));
  }
  if (found.size() > kMostCases) {
    const std::string more = fmt::format("and {} more", found.size() - kMostCases);
    found.resize(kMostCases);
    found.push_back(more);
  }
  sentences.insert(sentences.end(), found.begin(), found.end());
}

Json identity_of(const JournalHeader& header) {
  return {{"gpubench", header.tool.version},
          {"commit", header.tool.git_commit.has_value() ? header.tool.git_commit.value() : ""},
          {"order seed", header.plan.order_seed},
          {"host", header.environment.host},
          {"CPU", header.environment.cpu},
          {"threads", header.environment.threads},
          {"allocator", header.environment.allocator},
          {"LibTorch", header.environment.libtorch_version}};
}

Json devices_of(const Environment& environment) {
  Json devices = Json::object();
  for (const DeviceRecord& device : environment.devices) devices[device.name] = device.model;
  return devices;
}

/// What tells one dataset from another: whether it is made up, and the checksums of its files.
Json datasets_of(const Environment& environment) {
  Json datasets = Json::object();
  for (const DatasetRecord& dataset : environment.datasets) {
    Json content = dataset.is_synthetic ? Json::array({"synthetic"}) : Json::array();
    for (const DataFileRecord& file : dataset.files) content.push_back(file.sha256);
    datasets[dataset.name] = content;
  }
  return datasets;
}

}  // namespace

std::vector<std::string> differences(const JournalState& state, const JournalHeader& now,
                                     const std::vector<Case>& cases) {
  Sentences sentences;
  const Environment& then = state.header.environment;
  compare_objects(sentences, "run", identity_of(state.header), identity_of(now));
  compare_objects(sentences, "device", devices_of(then), devices_of(now.environment));
  compare_objects(sentences, "dataset", datasets_of(then), datasets_of(now.environment));
  compare_cases(sentences, state, cases);
  return sentences;
}

}  // namespace gpubench
