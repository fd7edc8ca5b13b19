#include "app/run/document_output.h"

#include <filesystem>

#include "app/run/result_file.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {

void write_document(const std::string& output, const std::string& source, const std::string& text) {
  if (output.empty() || output == "-") {
    print_out(text);
    return;
  }
  const ResultFile file(output, std::filesystem::path(source).filename().string());
  file.save(text);
  say("result in " + file.path().string());
}

}  // namespace gpubench
