#include <cstdlib>
#include <optional>

#include "files.h"
#include "gpubench/dataset.h"

namespace gpubench::test {
namespace {

/// Sets or, without a value, unsets a variable until the end of its life.
class ScopedVariable {
 public:
  ScopedVariable(const char* name, std::optional<std::string> value) : name_(name) {
    if (const char* const old = std::getenv(name)) old_ = old;
    assign(value);
  }
  ~ScopedVariable() { assign(old_); }
  ScopedVariable(const ScopedVariable&) = delete;
  ScopedVariable& operator=(const ScopedVariable&) = delete;

 private:
  void assign(const std::optional<std::string>& value) {
    value ? setenv(name_, value->c_str(), 1) : unsetenv(name_);
  }

  const char* name_;
  std::optional<std::string> old_;
};

TEST_CASE("the data folder is the option, else the variable, else in the cache") {
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

TEST_CASE("without a home there is no data folder to guess") {
  const ScopedVariable home("HOME", std::nullopt);
  const ScopedVariable cache("XDG_CACHE_HOME", std::nullopt);
  const ScopedVariable folder("GPUBENCH_DATA_DIR", std::nullopt);
  CHECK_THROWS_WITH(data_directory(""), contains_text("--data-dir"));
}

}  // namespace
}  // namespace gpubench::test
