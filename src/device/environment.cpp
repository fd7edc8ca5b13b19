#include <algorithm>
#include <cmath>
#include <thread>

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include "device/host/host.h"
#include "gpubench/core/nearest.h"
#include "gpubench/device.h"
#include "gpubench/record/gpu_match.h"

namespace gpubench {
namespace {

/// "BLAS_INFO=mkl, CUDA_VERSION=13.0, ...": what decides speed, out of the page that at::show_config() gives.
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

}  // namespace

Environment read_environment() {
  Environment environment = read_host();
  environment.logical_cores = std::thread::hardware_concurrency();
  environment.available_cores = available_cores();
  environment.threads = at::get_num_threads();
  environment.libtorch_version = TORCH_VERSION;
  environment.libtorch_build = build_settings();
  environment.allocator = allocator_name();
  environment.blas_note = cure_blas_clash();
  environment.governor = read_host_state().governor;
  environment.visible_devices = visible_devices();
  return environment;
}

int set_threads(int threads) {
  // LibTorch's own choice leaves out hyperthreads, but does not know of quotas.
  const int available = std::max(1, static_cast<int>(std::ceil(available_cores())));
  at::set_num_threads(threads > 0 ? threads : std::min(at::get_num_threads(), available));
  return at::get_num_threads();
}

void allow_tf32(bool is_allowed) {
  // The older switches: LibTorch 2.9 and newer throw when both kinds are used.
  at::globalContext().setAllowTF32CuBLAS(is_allowed);
  at::globalContext().setAllowTF32CuDNN(is_allowed);
  at::globalContext().setBenchmarkCuDNN(true);
}

}  // namespace gpubench
