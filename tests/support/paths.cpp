#include "support/paths.h"

namespace gpubench::test {

std::string source_dir() { return GPUBENCH_SOURCE_DIR; }
std::string fixtures_dir() { return GPUBENCH_SOURCE_DIR "/tests/fixtures"; }
std::string gpubench_binary() { return GPUBENCH_BINARY; }
std::string test_cache() { return GPUBENCH_TEST_CACHE; }
std::string stand_in_worker() { return GPUBENCH_STAND_IN_WORKER; }
std::string await_stored() { return GPUBENCH_AWAIT_STORED; }
std::string fake_nvml() { return GPUBENCH_FAKE_NVML; }
std::string fake_old_nvml() { return GPUBENCH_FAKE_OLD_NVML; }
std::string fake_openblas() { return GPUBENCH_FAKE_OPENBLAS; }

}  // namespace gpubench::test
