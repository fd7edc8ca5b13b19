#include "data/fetch/raw_file.h"

#include <cerrno>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// Size of a file that is fit to be read. Looked at before opening: opening a FIFO would block.
std::int64_t checked_size(const RawFile& file, Bytes limit) {
  std::error_code failure;
  const fs::file_status status = fs::status(file.path, failure);
  if (status.type() == fs::file_type::not_found) file.reject("is missing");
  if (failure) file.reject("cannot be read: " + failure.message());
  if (status.type() == fs::file_type::directory) file.reject("is a directory, not a file");
  if (status.type() != fs::file_type::regular) file.reject("is not a regular file");

  const auto size = static_cast<std::int64_t>(fs::file_size(file.path, failure));
  if (failure) file.reject("cannot be read: " + failure.message());
  if (size == 0) file.reject("is empty");
  if (size > limit.value) {
    file.reject(fmt::format("is too large ({} bytes, at most {} expected)", with_separators(size),
                            with_separators(limit.value)));
  }
  return size;
}

}  // namespace

void RawFile::reject(const std::string& what) const {
  throw Error(ErrorKind::kData,
              fmt::format("{} {}; run 'gpubench data fetch {}'", path.string(), what, dataset));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

RawFile read_raw_file(const fs::path& path, const std::string& dataset, Bytes limit) {
  RawFile file{path, dataset, {}};
  const std::int64_t size = checked_size(file, limit);
  std::ifstream in(path, std::ios::binary);
  if (!in) file.reject("cannot be read: " + std::generic_category().message(errno));
  file.bytes.resize(static_cast<std::size_t>(size));
  if (!in.read(reinterpret_cast<char*>(file.bytes.data()), size)) {
    file.reject(fmt::format("cannot be read beyond {} of {} bytes", with_separators(in.gcount()),
                            with_separators(size)));
  }
  return file;
}

}  // namespace gpubench
