#include "device/host/host.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::host_cgroups_test {
namespace {

/// A machine with `text` in /proc/self/cgroup.
class Machine {
 public:
  explicit Machine(const std::string& text) { dir_.file("proc/self/cgroup", text + "\n"); }

  /// Adds a file below /sys/fs/cgroup.
  Machine& with(const std::string& file, const std::string& text) {
    dir_.file("sys/fs/cgroup/" + file, text + "\n");
    return *this;
  }

  HostFiles files() const { return HostFiles(dir_.path()); }
  /// Returns the available cores, of eight.
  double available() const { return read_core_limits(files(), {0, 1, 2, 3, 4, 5, 6, 7}).available; }
  HostState state() const { return read_host_state(files()); }

 private:
  TempDir dir_;
};

}  // namespace

TEST_CASE("the smallest CPU quota of a cgroup and its ancestors applies") {
  Machine machine("0::/pod/job/task");
  machine.with("pod/job/task/cpu.max", "max 100000").with("pod/job/cpu.max", "max 100000");
  CHECK(machine.available() == 8);

  machine.with("pod/cpu.max", "250000 100000");
  CHECK(machine.available() == 2.5);

  machine.with("pod/job/task/cpu.max", "400000 100000");
  CHECK(machine.available() == 2.5);

  machine.with("pod/job/cpu.max", "60000 50000");
  CHECK(machine.available() == 1.2);
}

TEST_CASE("a CPU quota of cgroup version 1 applies, and -1 means unlimited") {
  Machine machine("9:name=systemd:/s\n4:cpu,cpuacct:/pod/box\n3:cpuset:/set\n0::/other");
  machine.with("cpu/pod/box/cpu.cfs_quota_us", "-1").with("cpu/pod/box/cpu.cfs_period_us", "100000");
  CHECK(machine.available() == 8);

  machine.with("cpu/pod/cpu.cfs_quota_us", "300000").with("cpu/pod/cpu.cfs_period_us", "100000");
  CHECK(machine.available() == 3);
}

TEST_CASE("the number of threads is the whole cores of a quota") {
  Machine machine("0::/pod");
  const auto threads = [&] { return read_core_limits(machine.files(), {0, 1, 2, 3}).threads(); };
  CHECK(threads() == 4);
  machine.with("pod/cpu.max", "150000 100000");
  CHECK(read_core_limits(machine.files(), {0, 1, 2, 3}).available == 1.5);
  CHECK(threads() == 1);
  machine.with("pod/cpu.max", "50000 100000");
  CHECK(threads() == 1);
  machine.with("pod/cpu.max", "399000 100000");
  CHECK(threads() == 3);
}

TEST_CASE("quota stops are the sum over the cgroup and its ancestors") {
  Machine machine("0::/pod/job");
  CHECK_FALSE(machine.state().quota_stops.has_value());
  CHECK_FALSE(machine.state().quota_stopped.has_value());

  machine.with("cpu.stat", "usage_usec 5\nuser_usec 3");
  machine.with("pod/cpu.stat", "usage_usec 5\nnr_periods 70\nnr_throttled 40\nthrottled_usec 1500000");
  machine.with("pod/job/cpu.stat", "nr_periods 9\nnr_throttled 2\nthrottled_usec 250000");
  CHECK(machine.state().quota_stops.value() == 42);
  CHECK(machine.state().quota_stopped.value().value == approx(1.75));
}

TEST_CASE("cgroup version 1 reports the stopped time in nanoseconds") {
  Machine machine("4:cpu,cpuacct:/box");
  machine.with("cpu/box/cpu.stat", "nr_periods 9\nnr_throttled 7\nthrottled_time 2500000000");
  CHECK(machine.state().quota_stops.value() == 7);
  CHECK(machine.state().quota_stopped.value().value == approx(2.5));
}

}  // namespace gpubench::test::host_cgroups_test
