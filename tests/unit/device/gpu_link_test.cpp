#include "device/host/network.h"
#include "gpubench/record/environment.h"
#include "support/catch.h"
#include "support/paths.h"
#include "support/scoped_variable.h"

namespace gpubench::test::gpu_link_test {
namespace {

const std::string kFour = "H100=GPU-11,H100=GPU-22,H100=GPU-33,H100=GPU-44";

/// Returns a run on this device, with all GPUs visible.
Environment run_on(const std::string& device) {
  Environment run;
  run.devices = {{.name = device}};
  run.visible_devices = std::string();
  return run;
}

/// Returns the link from cuda:1 to the other GPUs of a machine with the given FAKE_NVML_LINKS.
Measured<std::string> link_of_second(const std::string& links, const std::string& gpus = kFour,
                                     const std::string& missing = "") {
  const ScopedVariable all("FAKE_NVML_GPUS", gpus);
  const ScopedVariable ways("FAKE_NVML_LINKS", links);
  const ScopedVariable gone("FAKE_NVML_MISSING", missing);
  return gpu_link("cuda:1", run_on("cuda:1"), fake_nvml());
}

}  // namespace

TEST_CASE("NVLink is reported with the number and bandwidth of its links") {
  CHECK(link_of_second("nvlink").value() == "NVLink, 18 links of 26.6 GB/s, to all 3 others");
  CHECK(link_of_second("nvlink", "H100=GPU-11,H100=GPU-22").value() ==
        "NVLink, 18 links of 26.6 GB/s, to the other");
  CHECK(link_of_second("nvlink", kFour, "nvlink-state").value() == "NVLink, to all 3 others");
}

TEST_CASE("if NVLink connects only some GPUs, the path to the others is reported too") {
  CHECK(link_of_second("pairs").value() ==
        "NVLink, 18 links of 26.6 GB/s, to 1 of 3 others; PCIe 5 x16, across NUMA nodes");
}

TEST_CASE("without NVLink the longest path is reported") {
  CHECK(link_of_second("").value() == "PCIe 5 x16, across NUMA nodes");
  CHECK(link_of_second("", "H100=GPU-11,H100=GPU-22").value() == "PCIe 5 x16, through one PCIe switch");
  CHECK(link_of_second("", kFour, "ancestor").value() == "PCIe 5 x16");
}

TEST_CASE("the link is missing with an old driver that lacks these functions") {
  const ScopedVariable all("FAKE_NVML_GPUS", kFour);
  CHECK(gpu_link("cuda:1", run_on("cuda:1"), fake_old_nvml()).reason() ==
        "PCIe generation: Function Not Found");
}

}  // namespace gpubench::test::gpu_link_test
