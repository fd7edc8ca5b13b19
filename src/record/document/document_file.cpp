#include "record/document/document_file.h"

#include <fstream>

#include <fmt/format.h>

#include "gpubench/core/error.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse(const fs::path& path, const std::string& what) {
  throw Error(ErrorKind::kData, fmt::format("{}: {}; name a result file of gpubench", path.string(), what));
}

/// Looks before it opens: opening a pipe waits for its other end.
std::size_t checked_size(const fs::path& path) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) refuse(path, "cannot be read");
  if (!fs::is_regular_file(status)) refuse(path, "is no regular file");
  const std::uintmax_t size = fs::file_size(path, error);
  if (error) refuse(path, "cannot be read");
  if (size == 0) refuse(path, "is empty");
  if (size > kLargestDocument) {
    refuse(path, fmt::format("has {} bytes, more than the {} that are read", size, kLargestDocument));
  }
  return static_cast<std::size_t>(size);
}

}  // namespace

std::string read_document_text(const fs::path& path) {
  std::string text(checked_size(path), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in) refuse(path, "cannot be read");
  return text;
}

Json read_document(const fs::path& path) {
  const std::string text = read_document_text(path);
  try {
    return parse_document(text);
  } catch (const Error& error) {
    refuse(path, error.what());
  }
}

}  // namespace gpubench
