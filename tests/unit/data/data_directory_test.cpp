#include "files.h"
#include "gpubench/dataset.h"
#include "support/scoped_variable.h"

namespace gpubench::test::data_directory_test {
namespace {

TEST_CASE("the data folder comes from the option, else the variable, else the cache") {
  const ScopedVariable home("HOME", "/home/ann");
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  {
    const ScopedVariable folder("GPUBENCH_DATA_DIR", "/data");
    CHECK(data_directory("photos") == "photos");
    CHECK(data_directory("") == "/data");
  }
  const ScopedVariable folder("GPUBENCH_DATA_DIR", "");
  CHECK(data_directory("") == "/home/ann/.cache/gpubench/data");
  const ScopedVariable other_cache("XDG_CACHE_HOME", "/var/cache");
  CHECK(data_directory("") == "/var/cache/gpubench/data");
}

TEST_CASE("without HOME a missing data folder is an error") {
  const ScopedVariable home("HOME", std::nullopt);
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  const ScopedVariable folder("GPUBENCH_DATA_DIR", std::nullopt);
  CHECK_THAT(catch_data_error([] { data_directory(""); }), contains_text("--data-dir"));
}

}  // namespace
}  // namespace gpubench::test::data_directory_test
