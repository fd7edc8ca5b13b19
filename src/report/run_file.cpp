#include "gpubench/run_file.h"

#include <fstream>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/record_json.h"

namespace gpubench {

RunRecord read_run_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw Error(ErrorKind::kData, fmt::format("{}: cannot be read; name a result file", path.string()));
  const Json document = Json::parse(in, nullptr, false);
  if (document.is_discarded()) {
    throw Error(ErrorKind::kData, fmt::format("{}: not JSON; name a result file of gpubench", path.string()));
  }
  try {
    return run_from_json(document);
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", path.string(), error.what()));
  }
}

}  // namespace gpubench
