#include "device/host/host.h"
#include "support/catch.h"
#include "support/temp_dir.h"

namespace gpubench::test::host_cache_test {
namespace {

void add_cache(const TempDir& machine, const std::string& index, const std::string& level,
               const std::string& size, const std::string& cores) {
  const std::string folder = "sys/devices/system/cpu/" + index;
  machine.file(folder + "/level", level + "\n");
  machine.file(folder + "/size", size + "\n");
  machine.file(folder + "/shared_cpu_list", cores + "\n");
}

}  // namespace

TEST_CASE("the last-level cache size is the sum over the sockets") {
  const TempDir machine;
  add_cache(machine, "cpu0/cache/index0", "1", "32K", "0");
  add_cache(machine, "cpu0/cache/index3", "3", "16384K", "0-1");
  add_cache(machine, "cpu1/cache/index3", "3", "16384K", "0-1");
  add_cache(machine, "cpu2/cache/index3", "3", "8192K", "2-3");
  add_cache(machine, "cpufreq/cache/index3", "3", "1024K", "9");
  CHECK(last_level_cache(HostFiles(machine.path())).value() == Bytes{std::int64_t{24} << 20});
}

TEST_CASE("the cache size is missing if the kernel lists no caches") {
  const TempDir machine;
  CHECK_THAT(last_level_cache(HostFiles(machine.path())).reason(), contains_text("no cache"));
}

}  // namespace gpubench::test::host_cache_test
