#include "device/host/openmp.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <set>
#include <string_view>
#include <vector>

#include "gpubench/core/nearest.h"

extern char** environ;  // Not every system's headers have it.

namespace gpubench {
namespace {

constexpr const char* kWaitVariables[] = {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"};

/// Variables of OpenMP (GNU, LLVM, Intel) and of libraries that compute on its threads.
constexpr std::string_view kPrefixes[] = {"OMP_", "GOMP_", "KMP_", "MKL_", "OPENBLAS_"};

bool decides_on_threads(std::string_view variable) {
  const std::string_view name = variable.substr(0, variable.find('='));
  return std::ranges::any_of(kPrefixes, [&](std::string_view prefix) { return name.starts_with(prefix); }) &&
         std::ranges::find(kWaitVariables, name) == std::end(kWaitVariables);
}

std::string read_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// Finds a function in the library that LibTorch loaded; nullptr if missing.
template <class Function>
Function* loaded(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Counts the logical cores of all places, each once.
std::int64_t bound_cores() {
  auto* const count_places = loaded<int()>("omp_get_num_places");
  auto* const count_cores = loaded<int(int)>("omp_get_place_num_procs");
  auto* const name_cores = loaded<void(int, int*)>("omp_get_place_proc_ids");
  if (count_places == nullptr || count_cores == nullptr || name_cores == nullptr) return 0;
  std::set<int> cores;
  for (int place = 0; place < count_places(); ++place) {
    std::vector<int> ids(static_cast<std::size_t>(std::max(0, count_cores(place))));
    name_cores(place, ids.data());
    cores.insert(ids.begin(), ids.end());
  }
  return std::ssize(cores);
}

}  // namespace

std::string thread_variables() {
  std::vector<std::string> found;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    if (decides_on_threads(*variable)) found.emplace_back(*variable);
  }
  std::ranges::sort(found);
  return join(found);
}

void choose_wait_policy() {
  const bool is_chosen =
      std::ranges::any_of(kWaitVariables, [](const char* name) { return std::getenv(name) != nullptr; });
  if (!is_chosen) setenv("GOMP_SPINCOUNT", "1000", /*overwrite=*/0);
}

std::string wait_policy() {
  std::vector<std::string> chosen;
  for (const char* name : kWaitVariables) {
    if (const std::string value = read_variable(name); !value.empty())
      chosen.push_back(std::string(name) + "=" + value);
  }
  return chosen.empty() ? "default" : join(chosen);
}

bool spins_while_waiting() {
  if (const std::string count = read_variable("GOMP_SPINCOUNT"); !count.empty()) return count != "0";
  std::string policy = read_variable("OMP_WAIT_POLICY");
  std::ranges::transform(policy, policy.begin(), [](unsigned char letter) { return std::tolower(letter); });
  return policy != "passive" && read_variable("KMP_BLOCKTIME") != "0";
}

OpenMpLimits openmp_limits() {
  OpenMpLimits limits{std::numeric_limits<std::int64_t>::max()};
  if (auto* const limit = loaded<int()>("omp_get_thread_limit")) limits.threads = std::max(1, limit());
  if (auto* const is_dynamic = loaded<int()>("omp_get_dynamic")) limits.is_dynamic = is_dynamic() != 0;
  limits.cores = bound_cores();
  return limits;
}

}  // namespace gpubench
