#include "gpubench/device.h"

#include <algorithm>
#include <cstdlib>
#include <thread>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <fmt/format.h>
#include <torch/version.h>

#include "device/host/host.h"
#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/gpu_match.h"

namespace gpubench {
namespace {

/// Lists the usable devices of a kind. Sets `why_not` if there are none.
std::vector<std::string> list_devices(const DeviceEntry& entry, std::string& why_not) {
  std::vector<std::string> names;
  const int count = entry.count(why_not);
  for (int i = 0; i < count; ++i)
    names.push_back(entry.has_index ? fmt::format("{}:{}", entry.name, i) : entry.name);
  return names;
}

const DeviceEntry& require_kind(const std::string& name) {
  const std::size_t colon = name.find(':');
  if (colon != std::string::npos && !parse_whole(name.substr(colon + 1)))
    throw Error(ErrorKind::kUsage, "--device {}: unknown device; use cpu, cuda, cuda:1, mps or auto", name);
  const std::string kind = name.substr(0, colon);
  if (const DeviceEntry* entry = device_kinds().find(kind)) return *entry;
  std::vector<std::string> known = device_kinds().names();
  known.push_back("auto");
  throw_unknown_name("--device", "device", kind, known);
}

/// Returns the settings of at::show_config() that affect speed: "BLAS_INFO=mkl, CUDA_VERSION=13.0, ...".
std::string build_settings() {
  const std::string page = at::show_config();
  std::vector<std::string> settings;
  for (const std::string key :
       {"BLAS_INFO=", "USE_MKLDNN=", "USE_OPENMP=", "CUDA_VERSION=", "CUDNN_VERSION="}) {
    const std::size_t start = page.find(key);
    if (start != std::string::npos) settings.push_back(page.substr(start, page.find(',', start) - start));
  }
  return join(settings);
}

/// Returns a note if `threads` is below the number of available cores; else an empty string.
std::string note_on_threads(std::int64_t threads, const CoreLimits& limits) {
  const bool is_dynamic = openmp_limits().is_dynamic;
  if (threads >= limits.threads() && !is_dynamic) return {};
  const std::string variables = thread_variables();
  const std::string remedy =
      variables.empty() ? "set --threads to use all of them" : "unset these variables, or set --threads";
  return fmt::format("{}{} thread{} on {} available cores ({}); {}", is_dynamic ? "at most " : "", threads,
                     threads == 1 ? "" : "s", limits.threads(),
                     variables.empty() ? "chosen by LibTorch" : variables, remedy);
}

}  // namespace

std::vector<std::string> usable_devices() {
  std::vector<std::string> names;
  std::string ignored;
  for (const DeviceEntry& entry : device_kinds()) append(names, list_devices(entry, ignored));
  return names;
}

std::string resolve_device(const std::string& name) {
  if (name == "auto") return usable_devices().front();
  const DeviceEntry& entry = require_kind(name);
  const std::string full = entry.has_index && name == entry.name ? name + ":0" : name;
  std::string why_not;
  const std::vector<std::string> usable = list_devices(entry, why_not);
  if (std::ranges::find(usable, full) != usable.end()) return full;
  if (!usable.empty()) why_not = "this machine has " + join(usable);
  throw Error(ErrorKind::kDevice, "--device {}: {}", full, why_not);
}

std::unique_ptr<Device> open_device(const std::string& name) {
  const std::string full = resolve_device(name);
  const DeviceEntry& entry = require_kind(full);
  return entry.open(entry.has_index ? std::stoi(full.substr(entry.name.size() + 1)) : 0);
}

Environment read_environment(const CoreLimits& limits) {
  Environment environment = read_host();
  environment.logical_cores = std::thread::hardware_concurrency();
  environment.available_cores = limits.available;
  environment.threads = at::get_num_threads();
  environment.threads_note = note_on_threads(environment.threads, limits);
  environment.thread_variables = thread_variables();
  environment.wait_policy = wait_policy();
  environment.libtorch_version = TORCH_VERSION;
  environment.libtorch_build = build_settings();
  environment.allocator = allocator_name();
  environment.blas_note = limit_openblas_threads();
  environment.governor = read_host_state().governor;
  environment.visible_devices = visible_devices();
  return environment;
}

int set_threads(int threads, const CoreLimits& limits) {
  const OpenMpLimits openmp = openmp_limits();
  std::int64_t count = threads;
  if (count == 0) {
    // LibTorch's default excludes hyperthreads, but ignores quotas and is wrong if the first thread is bound.
    const bool is_chosen = std::getenv("OMP_NUM_THREADS") || std::getenv("MKL_NUM_THREADS");
    const bool is_bound = openmp.cores > 0 && !is_chosen;
    count = is_bound ? std::min(limits.physical, openmp.cores) : at::get_num_threads();
    count = std::min(count, std::max<std::int64_t>(1, static_cast<std::int64_t>(limits.available)));
  }
  count = std::min(count, openmp.threads);
  // A call also creates a pool of threads for mobile kernels, which spin while the first epoch runs.
  if (count != at::get_num_threads()) at::set_num_threads(static_cast<int>(count));
  return at::get_num_threads();
}

void allow_tf32(bool is_allowed) {
  // Uses the older switches: LibTorch 2.9 and newer throw if both kinds are used.
  at::globalContext().setAllowTF32CuBLAS(is_allowed);
  at::globalContext().setAllowTF32CuDNN(is_allowed);
  at::globalContext().setBenchmarkCuDNN(true);
}

}  // namespace gpubench
