#include "app/document_output.h"

#include <cstdio>
#include <filesystem>

#include <fmt/format.h>

#include "app/result_file.h"

namespace gpubench {

void write_document(const std::string& output, const std::string& source, const std::string& text) {
  if (output.empty() || output == "-") {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return;
  }
  const ResultFile file(output, std::filesystem::path(source).filename().string());
  file.save_text(text);
  fmt::print(stderr, "gpubench: result in {}\n", file.path().string());
}

}  // namespace gpubench
