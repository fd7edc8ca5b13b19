#include "core/nvml/cuda_order.h"

#include "support/catch.h"
#include "support/scoped_variable.h"

namespace gpubench::test {
namespace {

const std::vector<ListedGpu> kAlike = {{"H200", "GPU-aa1"}, {"H200", "GPU-aa2"}, {"H200", "GPU-bb3"}};
const std::vector<ListedGpu> kMixed = {{"T4", "GPU-aa1"}, {"H200", "GPU-bb2"}};

/// "cuda:0 - ?": - is hidden, ? has an unknown number.
std::string devices(const std::vector<ListedGpu>& gpus, std::optional<std::string> visible,
                    const std::string& order = "") {
  std::string text;
  for (const auto& device : cuda_devices(gpus, {std::move(visible), order})) {
    text += (text.empty() ? "" : " ") + (device.has_value() ? (device->empty() ? "?" : *device) : "-");
  }
  return text;
}

}  // namespace

TEST_CASE("without CUDA_VISIBLE_DEVICES GPUs of one kind have the driver's numbers") {
  CHECK(devices(kAlike, std::nullopt) == "cuda:0 cuda:1 cuda:2");
  CHECK(devices({kMixed[0]}, std::nullopt) == "cuda:0");
  CHECK(devices({}, std::nullopt) == "");
}

TEST_CASE("numbers of GPUs of several kinds are not guessed, for CUDA puts the fastest first") {
  CHECK(devices(kMixed, std::nullopt) == "? ?");
  CHECK(devices(kMixed, "0") == "? ?");
  CHECK(devices(kMixed, std::nullopt, "FASTEST_FIRST") == "? ?");
  CHECK(devices(kMixed, std::nullopt, "PCI_BUS_ID") == "cuda:0 cuda:1");
  CHECK(devices(kMixed, "1", "PCI_BUS_ID") == "- cuda:0");
}

TEST_CASE("UUIDs, and starts of them that only one GPU has, are certain for any GPUs") {
  CHECK(devices(kMixed, "GPU-bb2") == "- cuda:0");
  CHECK(devices(kMixed, "GPU-b,GPU-a") == "cuda:1 cuda:0");
  CHECK(devices(kAlike, "GPU-aa") == "- - -");
  CHECK(devices(kAlike, "GPU-cc") == "- - -");
}

TEST_CASE("numbers choose and order GPUs") {
  CHECK(devices(kAlike, "2") == "- - cuda:0");
  CHECK(devices(kAlike, "2, 0") == "cuda:1 - cuda:0");
}

TEST_CASE("the list ends at the first entry that is no GPU; an empty one and a repetition leave none") {
  CHECK(devices(kAlike, "0,2,-1,1") == "cuda:0 - cuda:1");
  CHECK(devices(kAlike, "0,7,1") == "cuda:0 - -");
  CHECK(devices(kAlike, "") == "- - -");
  CHECK(devices(kAlike, "NoDevFiles") == "- - -");
  CHECK(devices(kAlike, "1,1") == "- - -");
}

TEST_CASE("with parts of GPUs it is not known which board works for which device") {
  CHECK(devices(kAlike, "MIG-12345") == "? ? ?");
}

TEST_CASE("an empty CUDA_VISIBLE_DEVICES is not an unset one") {
  const ScopedVariable order("CUDA_DEVICE_ORDER", "PCI_BUS_ID");
  {
    const ScopedVariable unset("CUDA_VISIBLE_DEVICES", std::nullopt);
    CHECK_FALSE(cuda_variables().visible_devices.has_value());
  }
  const ScopedVariable empty("CUDA_VISIBLE_DEVICES", "");
  CHECK(cuda_variables().visible_devices == "");
  CHECK(cuda_variables().device_order == "PCI_BUS_ID");
}

}  // namespace gpubench::test
