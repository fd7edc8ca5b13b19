#include <algorithm>

#include <fmt/format.h>

#include "app/commands.h"
#include "gpubench/content_hash.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/document_check.h"
#include "gpubench/document_file.h"

namespace gpubench {
namespace {

constexpr const char* kNoChecksum = "; it has no checksum: 'gpubench migrate' adds one";

std::string praise(const Json& document) {
  return std::string("ok") + (document.contains(kContentHashKey) ? "" : kNoChecksum);
}

/// Whether the file is fine.
bool validate(const std::string& path) {
  try {
    const Json document = read_document(path);
    const std::vector<std::string> faults = document_faults(document);
    for (const std::string& fault : faults) print_out(fmt::format("{}: {}\n", path, fault));
    if (faults.empty()) print_out(fmt::format("{}: {}\n", path, praise(document)));
    return faults.empty();
  } catch (const Error& error) {
    print_out(std::string(error.what()) + "\n");
    return false;
  }
}

}  // namespace

ExitCode run_validate(const DocumentOptions& options) {
  const auto faulty = std::count_if(options.files.begin(), options.files.end(),
                                    [](const std::string& path) { return !validate(path); });
  return faulty == 0 ? ExitCode::kOk : ExitCode::kData;
}

}  // namespace gpubench
