#pragma once
// Paths in the checkout and its build. Only paths.cpp contains them, so that compiler caches work for the
// other sources in every clone.

#include <string>

namespace gpubench::test {

std::string source_dir();
std::string fixtures_dir();
std::string gpubench_binary();
std::string test_cache();       ///< Cache folder of programs that tests run.
std::string stand_in_worker();  ///< See stand_in_worker.cpp.
std::string await_stored();     ///< See await_stored.cpp.
std::string fake_nvml();
std::string fake_old_nvml();
std::string fake_openblas();

}  // namespace gpubench::test
