#include "device/host/host.h"
#include "support/catch.h"
#include "support/fake_machine.h"

namespace gpubench::test::host_processor_test {
namespace {

const std::string kCpu = "/sys/devices/system/cpu/cpu";

std::string arm_core(const std::string& implementer, const std::string& part) {
  return "processor\t: 0\nBogoMIPS\t: 2000.00\nCPU implementer\t: " + implementer +
         "\nCPU architecture: 8\nCPU part\t: " + part + "\nCPU revision\t: 0\n\n";
}

struct MachineOf : FakeMachine {
  explicit MachineOf(const std::vector<std::string>& cores) {
    std::string text;
    for (const std::string& core : cores) text += core;
    with("/proc/cpuinfo", text);
  }
};

}  // namespace

TEST_CASE("the processor's name is its model name") {
  const MachineOf machine({"model name\t: Processor 9000   \n\n", "model name\t: Processor 9000\n\n"});
  CHECK(read_host(machine.files()).cpu == "Processor 9000");
}

TEST_CASE("an Arm processor is named by its core types, each once") {
  const auto name = [](const std::vector<std::string>& cores) {
    return read_host(MachineOf(cores).files()).cpu;
  };
  CHECK(name({arm_core("0x41", "0xd4f"), arm_core("0x41", "0xd4f")}) == "Arm Neoverse-V2");
  CHECK(name({arm_core("0x41", "0xd87"), arm_core("0x41", "0xd85"), arm_core("0x41", "0xd87")}) ==
        "Arm Cortex-A725 + Arm Cortex-X925");
  CHECK(name({arm_core("0xc0", "0xac3")}) == "Ampere Ampere-1");
  CHECK(name({arm_core("0x99", "0xd4f")}) == "Arm implementer 0x99 part 0xd4f");
  CHECK(name({}) == "unknown");
}

TEST_CASE("hyperthreads of a core count once in the physical cores") {
  FakeMachine machine;
  for (const char* cpu : {"0", "1", "2", "3"}) {
    machine.with(kCpu + cpu + "/topology/thread_siblings_list", cpu);
  }
  machine.with(kCpu + "freq/topology", "not a core");
  CHECK(read_host(machine.files()).physical_cores.value() == 4);
  machine.with(kCpu + "0/topology/thread_siblings_list", "0-1");
  machine.with(kCpu + "1/topology/thread_siblings_list", "0-1");
  CHECK(read_host(machine.files()).physical_cores.value() == 3);
  CHECK_THAT(read_host(FakeMachine().files()).physical_cores.reason(), contains_text("no topology"));
}

}  // namespace gpubench::test::host_processor_test
