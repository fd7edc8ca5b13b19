#include "gpubench/power_meter.h"
#include "gpubench/record/environment.h"
#include "support/catch.h"
#include "support/fake_clock.h"

namespace gpubench::test::open_meters_test {
namespace {

PowerSource board(const std::string& uuid, bool is_replayed = false) {
  return {{.meter = "nvml", .is_replayed = is_replayed, .gpu = {.uuid = uuid}},
          [] { return PowerReading(); }};
}

/// A run on the GPU of the second entry of CUDA_VISIBLE_DEVICES.
Environment run_on(const std::string& uuid) {
  Environment run;
  run.visible_devices = std::string("CUDA_VISIBLE_DEVICES=2,3");
  run.devices = {{.name = "cuda:1"}};
  if (!uuid.empty()) run.devices[0].uuid = uuid;
  return run;
}

}  // namespace

TEST_CASE("a meter's GPUs get the names of the run's devices, and other GPUs are removed") {
  PowerSources sources{board("GPU-aa11"), board("GPU-bb22"), board("GPU-cc33")};
  std::string why_not;
  assign_gpus(sources, run_on("GPU-bb22"), why_not);
  REQUIRE(sources.size() == 1);
  CHECK(sources[0].facts.gpu.uuid == "GPU-bb22");
  CHECK(sources[0].facts.device == "cuda:1");
  CHECK(sources[0].facts.why_no_device.empty());
  CHECK(why_not.empty());
}

TEST_CASE("if the run uses none of a meter's GPUs, the reason names the variables") {
  PowerSources sources{board("GPU-aa11")};
  std::string why_not;
  assign_gpus(sources, run_on("GPU-bb22"), why_not);
  CHECK(sources.empty());
  CHECK(why_not ==
        "the run uses none of this meter's GPUs (CUDA_VISIBLE_DEVICES=2,3); choose one with --device");
}

TEST_CASE("a GPU that cannot be matched has no device but a reason, and a GPU of a log is kept") {
  PowerSources sources{board("GPU-aa11"), board("GPU-cc33", /*is_replayed=*/true)};
  std::string why_not;
  assign_gpus(sources, run_on(""), why_not);
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].facts.device.empty());
  CHECK(sources[0].facts.why_no_device == "UUID, PCI address and index are not known for both");
  assign_gpus(sources, run_on("GPU-aa11"), why_not);
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].facts.device == "cuda:1");
  CHECK(sources[1].facts.why_no_device == "the run does not use this GPU");
}

TEST_CASE("a source with a device keeps it, and a source that is not a GPU is unchanged") {
  PowerSources sources{board("GPU-aa11"), board("")};
  sources[0].facts.device = "cuda:7";
  std::string why_not;
  assign_gpus(sources, run_on("GPU-bb22"), why_not);
  REQUIRE(sources.size() == 2);
  CHECK(sources[0].facts.device == "cuda:7");
  CHECK(sources[1].facts.why_no_device.empty());
}

TEST_CASE("auto tries the automatic meters, and without a source gives the reason of each") {
  const FakeClock clock;
  const OpenMeters opened = open_meters("auto", clock, {});
  for (const MeterEntry& entry : power_meters()) {
    if (!opened.sources.empty() || !entry.is_automatic) continue;
    CHECK_THAT(opened.why_none, contains_text(entry.name + ": "));
  }
  CHECK(opened.why_none.empty() == !opened.sources.empty());
  CHECK(opened.why_none.find("--meter none") == std::string::npos);
}

}  // namespace gpubench::test::open_meters_test
