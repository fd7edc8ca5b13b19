#pragma once
// Where things are in this checkout and its build. One source knows, so that the others compile alike in
// every clone.

#include <string>

namespace gpubench::test {

std::string source_dir();
std::string fixtures_dir();
std::string gpubench_binary();
std::string test_cache();       ///< What trials beside the tests find out goes there.
std::string stand_in_worker();  ///< See stand_in_worker.cpp.
std::string await_stored();     ///< See await_stored.cpp.
std::string fake_nvml();
std::string fake_old_nvml();
std::string fake_openblas();

}  // namespace gpubench::test
