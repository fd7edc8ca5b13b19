// What tells two runs apart.

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "engine/execution/work_json.h"
#include "engine/sweep/journal.h"
#include "gpubench/core/collect.h"
#include "record/document/record_json.h"

namespace gpubench {
namespace {

using Sentences = std::vector<std::string>;

constexpr std::size_t kMostDifferences = 5;  // Of the work; more would hide the rest.

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

template <class Work>
void compare_work(Sentences& sentences, const JournalState<Work>& state, const std::vector<Work>& work) {
  const std::string kind = WorkKind<Work>::kRow;
  compare(sentences, kind + "s", state.planned, work.size());
  Sentences found;
  for (std::size_t i = 0; i < std::min(state.planned, work.size()); ++i) {
    compare_objects(found, fmt::format("{} {}", kind, i + 1), state.rows[i].work, to_json(work[i]));
  }
  const std::size_t shown = std::min(found.size(), kMostDifferences);
  append(sentences, std::span(found).first(shown));
  if (shown < found.size()) sentences.push_back(fmt::format("and {} more", found.size() - shown));
}

/// Of how rows are ordered; those of operations have the order of the plan.
std::int64_t find_order_seed(const PlanRecord& plan) { return plan.order_seed; }
std::int64_t find_order_seed(const OpsSettings& /*settings*/) { return 0; }

template <class Work>
Json make_identity(const JournalHeader<Work>& header) {
  return {{"gpubench", header.tool.version},
          {"commit", header.tool.git_commit.has_value() ? header.tool.git_commit.value() : ""},
          {"order seed", find_order_seed(header.plan)},
          {"host", header.environment.host},
          {"CPU", header.environment.cpu},
          {"threads", header.environment.threads},
          {"allocator", header.environment.allocator},
          {"LibTorch", header.environment.libtorch_version}};
}

Json list_devices(const Environment& environment) {
  Json devices = Json::object();
  for (const DeviceRecord& device : environment.devices) devices[device.name] = device.model;
  return devices;
}

/// Where both are known: a run is on one board, whose energy a log may tell later.
void compare_boards(Sentences& sentences, const Environment& then, const Environment& now) {
  for (const DeviceRecord& device : now.devices) {
    const auto known = std::ranges::find(then.devices, device.name, &DeviceRecord::name);
    if (known == then.devices.end() || !known->uuid.has_value() || !device.uuid.has_value()) continue;
    compare(sentences, "device, UUID of " + device.name, known->uuid.value(), device.uuid.value());
  }
}

/// What tells one dataset from another: whether it is made up, and the checksums of its files.
Json list_datasets(const Environment& environment) {
  Json datasets = Json::object();
  for (const DatasetRecord& dataset : environment.datasets) {
    Json content = dataset.is_synthetic ? Json::array({"synthetic"}) : Json::array();
    for (const DataFileRecord& file : dataset.files) content.push_back(file.sha256);
    datasets[dataset.name] = content;
  }
  return datasets;
}

}  // namespace

template <class Work>
std::vector<std::string> differences(const JournalState<Work>& state, const JournalHeader<Work>& now,
                                     const std::vector<Work>& work) {
  Sentences sentences;
  const Environment& then = state.header.environment;
  compare_objects(sentences, "run", make_identity(state.header), make_identity(now));
  compare_objects(sentences, "device", list_devices(then), list_devices(now.environment));
  compare_boards(sentences, then, now.environment);
  compare_objects(sentences, "dataset", list_datasets(then), list_datasets(now.environment));
  compare_work(sentences, state, work);
  return sentences;
}

template std::vector<std::string> differences(const JournalState<Case>&, const JournalHeader<Case>&,
                                              const std::vector<Case>&);
template std::vector<std::string> differences(const JournalState<OpWork>&, const JournalHeader<OpWork>&,
                                              const std::vector<OpWork>&);

}  // namespace gpubench
