#include "device/host/host.h"
#include "support/catch.h"
#include "support/fake_machine.h"

namespace gpubench::test::host_state_test {
namespace {

constexpr std::int64_t kMiB = 1 << 20;

HostState make_state(const FakeMachine& machine) { return read_host_state(machine.files()); }

std::int64_t mib_available(const FakeMachine& machine) {
  return available_memory(machine.files()).value().value / kMiB;
}

std::string mib(std::int64_t count) { return std::to_string(count * kMiB); }

const std::string kCpu = "/sys/devices/system/cpu/cpu";
const std::string kSupply = "/sys/class/power_supply/";

}  // namespace

TEST_CASE("readings are missing, not errors, on a machine without these files") {
  const FakeMachine machine;
  const HostState state = make_state(machine);
  CHECK_FALSE(state.busy.has_value());
  CHECK_FALSE(state.stolen.has_value());
  CHECK(state.cores == 0);
  CHECK_FALSE(state.out_of_memory_kills.has_value());
  CHECK_FALSE(state.throttle_events.has_value());
  CHECK_FALSE(state.is_on_battery.value());
  CHECK_FALSE(state.is_saving_power.has_value());
  CHECK_THAT(state.governor.reason(), contains_text("does not control"));
  CHECK(available_memory(machine.files()).reason() == "cannot read /proc/meminfo");
}

TEST_CASE("the core wait is the sum over all threads") {
  FakeMachine machine;
  CHECK_FALSE(make_state(machine).core_wait.has_value());
  machine.with("/proc/self/task/7/schedstat", "123456 1500000000 12");
  machine.with("/proc/self/task/9/schedstat", "123456 250000000 12");
  CHECK(make_state(machine).core_wait.value().value == approx(1.75));
}

TEST_CASE("hyperthreads of a core count once in the core limits") {
  FakeMachine machine;
  for (const int cpu : {0, 1, 4, 5}) {
    const std::string siblings = cpu % 4 == 0 ? "0,4" : "1,5";
    machine.with(kCpu + std::to_string(cpu) + "/topology/thread_siblings_list", siblings);
  }
  CHECK(read_core_limits(machine.files(), {0, 1, 4, 5}).available == 4);
  CHECK(read_core_limits(machine.files(), {0, 1, 4, 5}).threads() == 2);
  CHECK(read_core_limits(machine.files(), {0, 4}).threads() == 1);
  CHECK(read_core_limits(FakeMachine().files(), {2, 3, 6}).threads() == 3);
}

TEST_CASE("the firmware profiles low-power and quiet save power") {
  FakeMachine machine;
  const auto is_saving = [&](const std::string& profile) {
    machine.with("/sys/firmware/acpi/platform_profile", profile);
    return make_state(machine).is_saving_power.value();
  };
  CHECK(is_saving("low-power"));
  CHECK(is_saving("quiet"));
  CHECK_FALSE(is_saving("balanced"));
  CHECK_FALSE(is_saving("performance"));
}

TEST_CASE("busy time excludes idle, I/O wait and guest time, and stolen time is separate") {
  FakeMachine machine;
  machine.with("/proc/stat",
               "cpu  100 200 300 9000 8000 400 500 700 60 60\n"
               "cpu0 50 100 150 4500 4000 200 250 350 30 30\n"
               "cpu1 50 100 150 4500 4000 200 250 350 30 30\n"
               "intr 17");
  CHECK(make_state(machine).busy.value().value == approx(15));
  CHECK(make_state(machine).stolen.value().value == approx(7));
  CHECK(make_state(machine).cores == 2);
}

TEST_CASE("without a cgroup limit, the available memory is that of the machine") {
  FakeMachine machine;
  machine.with("/proc/meminfo", "MemTotal:       8192000 kB\nMemAvailable:   1024000 kB");
  CHECK(mib_available(machine) == 1000);

  machine.with("/proc/self/cgroup", "0::/user.slice").with("/sys/fs/cgroup/user.slice/memory.max", "max");
  machine.with("/sys/fs/cgroup/user.slice/memory.current", mib(10));
  CHECK(mib_available(machine) == 1000);
}

TEST_CASE("memory limits of a version 2 cgroup and its ancestors apply") {
  FakeMachine machine;
  machine.with("/proc/meminfo", "MemAvailable:   1024000 kB").with("/proc/self/cgroup", "0::/pod/job/task");
  machine.with("/sys/fs/cgroup/pod/memory.max", mib(600));
  machine.with("/sys/fs/cgroup/pod/memory.current", mib(150));
  CHECK(mib_available(machine) == 450);

  SECTION("the lowest limit applies") {
    machine.with("/sys/fs/cgroup/pod/job/task/memory.max", mib(300));
    machine.with("/sys/fs/cgroup/pod/job/task/memory.current", mib(100));
    CHECK(mib_available(machine) == 200);
  }
  SECTION("inactive file cache counts as available") {
    machine.with("/sys/fs/cgroup/pod/memory.stat", "anon 5\ninactive_file " + mib(50) + "\nactive_file 7");
    CHECK(mib_available(machine) == 500);
  }
  SECTION("an exceeded limit leaves 0 bytes, not a negative number") {
    machine.with("/sys/fs/cgroup/pod/memory.current", mib(700));
    CHECK(mib_available(machine) == 0);
  }
}

TEST_CASE("a memory limit of cgroup version 1 applies, even if version 2 is mounted too") {
  FakeMachine machine;
  machine.with("/proc/meminfo", "MemAvailable:   1024000 kB");
  machine.with("/proc/self/cgroup", "9:name=systemd:/\n4:cpu,memory:/box\n0::/");
  const std::string box = "/sys/fs/cgroup/memory/box";
  machine.with(box + "/memory.limit_in_bytes", mib(200)).with(box + "/memory.usage_in_bytes", mib(120));
  CHECK(mib_available(machine) == 80);

  machine.with(box + "/memory.stat", "inactive_file 1\ntotal_inactive_file " + mib(20));
  CHECK(mib_available(machine) == 100);

  machine.with(box + "/memory.limit_in_bytes", "9223372036854771712");  // Unlimited in version 1.
  machine.with(box + "/memory.usage_in_bytes", "0");
  CHECK(mib_available(machine) == 1000);
}

TEST_CASE("out-of-memory kills are those of the process's cgroup") {
  FakeMachine machine;
  machine.with("/proc/vmstat", "oom_kill_disable 1\noom_kill 9");
  CHECK(make_state(machine).out_of_memory_kills.value() == 9);

  SECTION("version 2") {
    machine.with("/proc/self/cgroup", "0::/job");
    machine.with("/sys/fs/cgroup/job/memory.events", "low 0\noom 5\noom_kill 3\noom_group_kill 1");
    CHECK(make_state(machine).out_of_memory_kills.value() == 3);
  }
  SECTION("version 1") {
    machine.with("/proc/self/cgroup", "4:memory:/job\n0::/");
    machine.with("/sys/fs/cgroup/memory/job/memory.oom_control",
                 "oom_kill_disable 0\nunder_oom 0\noom_kill 2");
    CHECK(make_state(machine).out_of_memory_kills.value() == 2);
  }
}

TEST_CASE("throttle events are summed over all logical cores") {
  FakeMachine machine;
  machine.with(kCpu + "0/thermal_throttle/core_throttle_count", "3");
  machine.with(kCpu + "0/thermal_throttle/package_throttle_count", "4");
  machine.with(kCpu + "1/thermal_throttle/core_throttle_count", "2");
  CHECK(make_state(machine).throttle_events.value() == 9);
}

TEST_CASE("a laptop is on battery if the battery discharges and no charger is connected") {
  FakeMachine machine;
  machine.with(kSupply + "BAT0/type", "Battery").with(kSupply + "BAT0/status", "Discharging");
  CHECK(make_state(machine).is_on_battery.value());

  SECTION("a disconnected charger") {
    machine.with(kSupply + "AC/type", "Mains").with(kSupply + "AC/online", "0");
    CHECK(make_state(machine).is_on_battery.value());
  }
  SECTION("a charger that is too weak") {
    machine.with(kSupply + "ucsi0/type", "USB").with(kSupply + "ucsi0/online", "1");
    CHECK_FALSE(make_state(machine).is_on_battery.value());
  }
  SECTION("a battery that charges") {
    machine.with(kSupply + "BAT0/status", "Charging");
    CHECK_FALSE(make_state(machine).is_on_battery.value());
  }
}

}  // namespace gpubench::test::host_state_test
