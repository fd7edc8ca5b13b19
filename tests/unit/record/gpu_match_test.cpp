#include "gpubench/record/gpu_match.h"

#include "gpubench/record/environment.h"
#include "gpubench/record/run_record.h"
#include "support/catch.h"
#include "support/scoped_variable.h"

namespace gpubench::test::gpu_match_test {
namespace {

const std::string kFirst = "GPU-0f1e2d3c-aaaa-bbbb-cccc-000000000001";
const std::string kSecond = "GPU-0f1e2d3c-aaaa-bbbb-cccc-000000000002";

using Gpus = std::vector<GpuIdentity>;

DeviceRecord device(const std::string& name, const std::string& uuid = "", const std::string& address = "") {
  DeviceRecord record{.name = name};
  if (!uuid.empty()) record.uuid = uuid;
  if (!address.empty()) record.pci_address = address;
  return record;
}

/// Returns the environment of a run on `devices` with `variables`.
Environment run_on(std::vector<DeviceRecord> devices, const std::string& variables = "") {
  Environment run;
  run.host = "alpha";
  run.visible_devices = variables;
  run.devices = std::move(devices);
  return run;
}

Environment run_on(const std::string& name, const std::string& variables) {
  return run_on({device(name)}, variables);
}

/// Formats matches such as "cuda:0 - ?", with "-" for a foreign GPU and "?" for an unknown one.
std::string matches(const Gpus& gpus, const Environment& run) {
  std::string text;
  for (const GpuMatch& match : match_gpus(gpus, run)) {
    text += (text.empty() ? "" : " ") + (match.is_foreign()      ? "-"
                                         : !match.device.empty() ? match.device
                                                                 : "?");
  }
  return text;
}

std::string why_unknown(const GpuIdentity& gpu, const Environment& run) {
  return match_gpus(std::vector{gpu}, run).at(0).why_unknown;
}

GpuIdentity numbered(std::int64_t index, const std::string& model = "", const std::string& uuid = "") {
  return {.uuid = uuid, .index = index, .model = model};
}

/// Returns `count` GPUs that only have an index.
Gpus numbered_gpus(std::int64_t count) {
  Gpus gpus;
  for (std::int64_t index = 0; index < count; ++index) gpus.push_back(numbered(index));
  return gpus;
}

const Gpus kMixed = {numbered(0, "T4", "GPU-aa1"), numbered(1, "H200", "GPU-bb2")};

RankRecord rank_on(const std::string& host, const std::string& name, const std::string& uuid) {
  RankRecord rank;
  rank.host = host;
  rank.device = name;
  rank.visible_devices = std::string();
  if (!uuid.empty()) rank.device_uuid = uuid;
  return rank;
}

}  // namespace

TEST_CASE("a UUID takes precedence over indices") {
  const Environment run = run_on({device("cuda:0", kSecond, "0000:65:00.0")}, "CUDA_VISIBLE_DEVICES=0");
  CHECK(matches({numbered(0, "", kFirst), numbered(1, "", kSecond)}, run) == "- cuda:0");
  CHECK(matches({{.uuid = "gpu-0F1E2D3C-AAAA-BBBB-CCCC-000000000002"}}, run) == "cuda:0");
  CHECK(matches({{.uuid = kFirst}}, run_on({device("cpu")})) == "-");
}

TEST_CASE("without a common UUID the PCI address decides, with or without domain, in either letter case") {
  const Environment run = run_on({device("cuda:0", "", "0000:6a:00.0")}, "CUDA_VISIBLE_DEVICES=0");
  for (const char* const same : {"00000000:6A:00.0", "0000:6a:00.0", "6A:00.0", "6a:00"}) {
    INFO(same);
    CHECK(matches({{.uuid = kFirst, .pci_address = same, .index = 5}}, run) == "cuda:0");
  }
  for (const char* const other : {"0001:6a:00.0", "0000:6b:00.0", "0000:6a:01.0", "0000:6a:00.1"}) {
    INFO(other);
    CHECK(matches({{.pci_address = other, .index = 0}}, run) == "-");
  }
  CHECK(matches({{.pci_address = "[N/A]", .index = 0}}, run) == "cuda:0");
}

TEST_CASE("indices follow CUDA_VISIBLE_DEVICES") {
  CHECK(matches(numbered_gpus(4), run_on("cuda:0", "CUDA_VISIBLE_DEVICES=3")) == "- - - cuda:0");
  const Environment two = run_on({device("cuda:0"), device("cuda:1")}, "CUDA_VISIBLE_DEVICES=2, 0");
  CHECK(matches(numbered_gpus(3), two) == "cuda:1 - cuda:0");
  CHECK(matches(numbered_gpus(2), run_on("cuda:1", "")) == "- cuda:1");
}

TEST_CASE("indices are unknown if CUDA_VISIBLE_DEVICES has UUIDs or MIG partitions") {
  for (const std::string list : {"GPU-bb2", "MIG-1", "7,", ""}) {
    INFO(list);
    CHECK(why_unknown(numbered(0), run_on("cuda:1", "CUDA_VISIBLE_DEVICES=" + list)) ==
          "CUDA_VISIBLE_DEVICES=" + list + " has no index for cuda:1");
  }
}

TEST_CASE("indices of different models are unknown, since CUDA lists the fastest first") {
  CHECK(matches(kMixed, run_on("cuda:0", "")) == "? ?");
  CHECK(matches(kMixed, run_on("cuda:0", "CUDA_DEVICE_ORDER=FASTEST_FIRST")) == "? ?");
  CHECK(matches(kMixed, run_on("cuda:0", "CUDA_DEVICE_ORDER=PCI_BUS_ID")) == "cuda:0 -");
  CHECK(matches(kMixed, run_on("cuda:0", "CUDA_VISIBLE_DEVICES=1; CUDA_DEVICE_ORDER=PCI_BUS_ID")) ==
        "- cuda:0");
  // The model of the run's device counts too.
  Environment run = run_on("cuda:0", "");
  run.devices[0].model = "H200";
  CHECK(why_unknown(kMixed[0], run) ==
        "CUDA's order of different GPU models is unknown without CUDA_DEVICE_ORDER=PCI_BUS_ID");
  CHECK(matches({kMixed[1]}, run) == "-");
  run.devices[0].model = "NVIDIA H200";
  CHECK(matches({kMixed[1]}, run) == "-");
}

TEST_CASE("indices are unknown if the result does not record the variables") {
  Environment run = run_on("cuda:0", "");
  run.visible_devices = missing("not recorded");
  CHECK(why_unknown(numbered(0), run) == "the result does not record CUDA_VISIBLE_DEVICES");
  run.devices[0].uuid = kFirst;
  CHECK(matches({numbered(7, "", kFirst)}, run) == "cuda:0");
}

TEST_CASE("a GPU is foreign if all devices of the run have matches") {
  Environment run = run_on({device("cuda:0", kFirst, "0000:01:00.0")});
  run.visible_devices = missing("not recorded");
  CHECK(matches({{.uuid = kFirst, .index = 0}, numbered(1)}, run) == "cuda:0 -");
}

TEST_CASE("ranks match like devices, on other hosts by UUID only") {
  Environment run = run_on({device("cuda:0", kFirst)});
  run.ranks = {rank_on("alpha", "cuda:0", kFirst), rank_on("alpha", "cuda:1", "")};
  CHECK(matches({numbered(0, "", kFirst), numbered(1, "", kSecond), numbered(2)}, run) == "cuda:0 cuda:1 -");
  run.ranks[1] = rank_on("beta", "cuda:0", "");
  CHECK(matches({numbered(0, "", kSecond)}, run) == "-");
  run.ranks[1] = rank_on("beta", "cuda:0", kSecond);
  CHECK(matches({numbered(0, "", kSecond)}, run) == "cuda:0");
}

TEST_CASE("recorded variables distinguish empty from unset") {
  const ScopedVariable order("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  {
    const ScopedVariable unset("CUDA_VISIBLE_DEVICES", std::nullopt);
    CHECK(visible_devices() == "CUDA_DEVICE_ORDER=PCI_BUS_ID");
  }
  const ScopedVariable empty("CUDA_VISIBLE_DEVICES", "");
  CHECK(visible_devices() == "CUDA_VISIBLE_DEVICES=; CUDA_DEVICE_ORDER=PCI_BUS_ID");
}

}  // namespace gpubench::test::gpu_match_test
