#include "app/setup/wheel.h"

#include "data/fetch/archive.h"

namespace gpubench {
namespace {

bool is_below(const std::string& path, const std::string& folder) { return path.starts_with(folder + "/"); }

bool is_of_cuda(const std::string& path) {
  return path.starts_with("torch/lib/libtorch_cuda") || path == "torch/lib/libtorch_nvshmem.so";
}

}  // namespace

bool is_wanted(const std::string& path, const std::string& flavor) {
  const std::string top = path.substr(0, path.find('/'));
  if (top == "nvidia" || top.ends_with(".dist-info")) return true;
  if (path.starts_with("torch/lib/libtorch_python.")) return false;
  if (flavor == "slim" && is_of_cuda(path)) return false;
  return is_below(path, "torch/lib") || is_below(path, "torch/include") || is_below(path, "torch/share");
}

void unpack_wheel(const std::filesystem::path& wheel, const std::string& flavor,
                  const std::filesystem::path& folder) {
  unpack_tree(wheel, folder, [&](const std::string& path) { return is_wanted(path, flavor); });
}

}  // namespace gpubench
