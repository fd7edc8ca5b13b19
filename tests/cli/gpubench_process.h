#pragma once
// Runs the built program in a temporary folder, with the fixtures as data and a temporary store. All tests
// share the machine facts of a store in the test cache.

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/paths.h"
#include "support/process.h"
#include "support/stored.h"
#include "support/temp_dir.h"

namespace gpubench::test {

/// Returns the content of the file; empty if it cannot be read.
inline std::string to_text(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

class Gpubench {
 public:
  Gpubench()
      : environment_{{"GPUBENCH_DATA_DIR", fixtures_dir()},
                     {"GPUBENCH_BASE_URL", "http://127.0.0.1:1"},
                     {"GPUBENCH_STORE", store()},
                     {"COLUMNS", ""},
                     {"GOMP_SPINCOUNT", "1000"},  // Does not depend on other load.
                     {"XDG_CACHE_HOME", test_cache()}} {
    copy_facts(shared_facts(), store());
  }
  ~Gpubench() { copy_facts(store(), shared_facts()); }
  Gpubench(const Gpubench&) = delete;
  Gpubench& operator=(const Gpubench&) = delete;

  /// Sets an environment variable for later runs.
  void set(const std::string& name, const std::string& value) { environment_[name] = value; }

  ProcessResult run(const std::vector<std::string>& arguments) const {
    return run_process(gpubench_binary(), arguments, dir_.path(), environment_);
  }

  /// Starts the program without waiting for its end.
  StartedProcess start(const std::vector<std::string>& arguments) const {
    return StartedProcess(gpubench_binary(), arguments, dir_.path(), environment_);
  }

  /// Runs a shell script in which $0 is the program.
  ProcessResult run_shell(const std::string& script) const { return start_shell(script).wait(); }
  StartedProcess start_shell(const std::string& script) const {
    return StartedProcess("/bin/sh", {"-c", script, gpubench_binary()}, dir_.path(), environment_);
  }

  /// Returns the current folder of the runs.
  const std::filesystem::path& folder() const { return dir_.path(); }

  /// Returns the store, unless set() changed GPUBENCH_STORE.
  std::filesystem::path store() const { return state_.path() / "store.sqlite"; }

 private:
  static std::filesystem::path shared_facts() { return test_cache() + "/facts.sqlite"; }

  TempDir dir_;
  TempDir state_;
  std::map<std::string, std::string> environment_;
};

}  // namespace gpubench::test
