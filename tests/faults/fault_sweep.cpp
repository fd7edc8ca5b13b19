// Makes the n-th call of a C library function fail in a small run, a resumed run and commands that read
// results, for all n or for a subset, and checks the behavior. LIBRARY is the fault injector.
//
//   gpubench_fault_sweep LIBRARY [--points N] [--only FUNCTION] [--scenario NAME]
//
// Prints each fault with a failed check as environment variables, and then exits with 1.

#include <cerrno>
#include <cstdio>
#include <iostream>
#include <map>
#include <string>

#include "scenario.h"
#include "tally.h"

namespace gpubench::test {
namespace {

/// A way in which a function fails; see fault_injector.cpp.
struct Way {
  std::string name;
  std::string number = "";  ///< "+": this call and all later calls fail; "": only this call.
  std::string what = {};
};

std::string code(int error) { return std::to_string(error); }

std::vector<Way> ways() {
  return {{"open", "", code(EMFILE)},     {"open", "+", code(EACCES)},   {"read", "", code(EIO)},
          {"read", "", code(EINTR)},      {"read", "", "short"},         {"write", "", code(ENOSPC)},
          {"write", "+", code(ENOSPC)},   {"write", "", code(EINTR)},    {"write", "", "short"},
          {"fwrite", "", code(ENOSPC)},   {"fflush", "", code(ENOSPC)},  {"close", "", code(EIO)},
          {"fsync", "", code(EIO)},       {"fsync", "+", code(EIO)},     {"ftruncate", "", code(EIO)},
          {"rename", "", code(EACCES)},   {"rename", "+", code(EIO)},    {"unlink", "", code(EACCES)},
          {"mkdir", "", code(EACCES)},    {"flock", "", code(ENOLCK)},   {"stat", "", code(EACCES)},
          {"readlink", "", code(EACCES)}, {"mmap", "", code(ENOMEM)},    {"memfd", "", code(EMFILE)},
          {"malloc", "", code(ENOMEM)},   {"malloc", "+", code(ENOMEM)}, {"fork", "", code(EAGAIN)},
          {"fork", "+", code(EAGAIN)},    {"thread", "", code(EAGAIN)},  {"wait", "", code(EINTR)},
          {"pipe", "", code(EMFILE)},     {"dup", "", code(EMFILE)},     {"poll", "", code(EINTR)},
          {"poll", "", code(ENOMEM)}};
}

struct Options {
  std::string library = {};
  std::size_t points = 10'000;
  std::string only = {};
  std::string scenario = {};
};

Options options_from(const Words& words) {
  Options options;
  options.library = std::filesystem::absolute(words.at(0));
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    if (words[i] == "--points") options.points = std::stoul(words[i + 1]);
    if (words[i] == "--only") options.only = words[i + 1];
    if (words[i] == "--scenario") options.scenario = words[i + 1];
  }
  return options;
}

/// One way to fail in one scenario, with the number of calls that can fail.
struct Series {
  const Scenario* scenario;
  Way way;
  std::string role;
  std::size_t calls = 0;
};

std::vector<Series> all_series(const Workshop& workshop, const std::vector<Scenario>& scenarios,
                               const Options& options) {
  const TempDir dir;
  const std::filesystem::path path = dir.path() / "tally";
  std::vector<Series> series;
  for (const Scenario& scenario : scenarios) {
    for (const std::string role : {"supervisor", "worker"}) {
      clear_tally(path);
      workshop.undisturbed(
          scenario,
          {{"LD_PRELOAD", options.library}, {"GPUBENCH_FAULT_IN", role}, {"GPUBENCH_FAULT_TALLY", path}});
      const Tally tally = read_tally(path);
      for (const Way& way : ways()) {
        if (!options.only.empty() && way.name != options.only) continue;
        const auto calls = static_cast<std::size_t>(tally.calls.at(way.name));
        if (calls > 0) series.push_back({&scenario, way, role, calls});
      }
    }
  }
  return series;
}

/// Returns the limit for the points of one series, so that all together have about `points`.
std::size_t find_series_limit(const std::vector<Series>& series, std::size_t points) {
  std::size_t most = 1;
  for (std::size_t total = 0; most < 1'000'000 && total < points; most += 1 + most / 8) {
    total = 0;
    for (const Series& one : series) total += std::min(one.calls, most);
    if (total >= points) break;
  }
  return most;
}

struct Row {
  std::size_t calls = 0;
  std::size_t points = 0;
  std::int64_t faults = 0;
  std::size_t failures = 0;
};

class Sweep {
 public:
  explicit Sweep(const Options& options)
      : options_(options), scenarios_(scenarios_named(options.scenario)), workshop_(scenarios_) {}

  int run() {
    const std::vector<Series> series = all_series(workshop_, scenarios_, options_);
    const std::size_t most = find_series_limit(series, options_.points);
    // If there are fewer points than series, use every n-th series.
    const std::size_t stride =
        std::max<std::size_t>(1, series.size() / std::max<std::size_t>(1, options_.points));
    for (std::size_t i = 0; i < series.size(); i += stride) {
      const Series& one = series[i];
      Row& row = rows_[one.way.name];
      row.calls += one.calls;
      const std::size_t count = std::min(one.calls, most);
      for (std::size_t j = 0; j < count; ++j) strike(one, 1 + j * one.calls / count, row);
    }
    return print();
  }

 private:
  void strike(const Series& one, std::size_t call, Row& row) {
    const std::filesystem::path path = dir_.path() / "tally";
    clear_tally(path);
    const std::string fault = one.way.name + ":" + std::to_string(call) + one.way.number + ":" + one.way.what;
    const auto failures = workshop_.check(*one.scenario, {{"LD_PRELOAD", options_.library},
                                                          {"GPUBENCH_FAULT_IN", one.role},
                                                          {"GPUBENCH_FAULT", fault},
                                                          {"GPUBENCH_FAULT_TALLY", path}});
    ++row.points;
    row.faults += read_tally(path).faults;
    if (failures.empty()) return;
    ++row.failures;
    std::cout << one.scenario->name << ": GPUBENCH_FAULT_IN=" << one.role << " GPUBENCH_FAULT=" << fault
              << "\n";
    for (const std::string& failure : failures) std::cout << "  " << failure << "\n";
    std::cout << std::flush;
  }

  int print() const {
    std::printf("%-10s %10s %8s %8s %10s\n", "function", "calls", "points", "faults", "failures");
    Row all;
    for (const auto& [name, row] : rows_) {
      print(name, row);
      all.calls += row.calls;
      all.points += row.points;
      all.faults += row.faults;
      all.failures += row.failures;
    }
    print("all", all);
    return all.failures == 0 && all.points > 0 ? 0 : 1;
  }
  static void print(const std::string& name, const Row& row) {
    std::printf("%-10s %10zu %8zu %8lld %10zu\n", name.c_str(), row.calls, row.points,
                static_cast<long long>(row.faults), row.failures);
  }

  Options options_;
  std::vector<Scenario> scenarios_;
  Workshop workshop_;
  TempDir dir_;
  std::map<std::string, Row> rows_;
};

}  // namespace
}  // namespace gpubench::test

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("usage: gpubench_fault_sweep LIBRARY [--points N] [--only FUNCTION] [--scenario NAME]\n",
               stderr);
    return 2;
  }
  return gpubench::test::Sweep(gpubench::test::options_from({argv + 1, argv + argc})).run();
}
