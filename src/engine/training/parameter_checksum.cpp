#include "engine/training/parameter_checksum.h"

#include <span>

#include "gpubench/core/io/digest.h"

namespace gpubench {

std::string parameter_checksum(Model& model) {
  std::vector<std::byte> bytes;
  for (const ParameterGroup& group : model.parameter_groups()) {
    for (const at::Tensor& parameter : group.parameters) {
      const at::Tensor host = parameter.detach().to(at::kCPU).contiguous();
      const auto* data = static_cast<const std::byte*>(host.const_data_ptr());
      bytes.insert(bytes.end(), data, data + host.nbytes());
    }
  }
  return sha256(bytes);
}

}  // namespace gpubench
