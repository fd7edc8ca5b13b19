#include "app/result_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "gpubench/core/error.h"
#include "gpubench/core/nearest.h"
#include "gpubench/record_json.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, fmt::format("--output {}: {}; give a file in a folder that you can write to",
                                             path.string(), why));
}

/// A file name in `folder` that is not taken: two runs may start within the same second.
fs::path free_name(const fs::path& folder, const std::string& name) {
  fs::path path = folder / name;
  for (int number = 2; fs::exists(path); ++number) {
    path = folder / fmt::format("{}-{}.json", fs::path(name).stem().string(), number);
  }
  return path;
}

fs::path choose_path(const std::string& output, const std::string& default_name) {
  if (output.empty()) return free_name("results", default_name);
  if (output.ends_with('/') || fs::is_directory(output)) return free_name(output, default_name);
  return output;
}

void make_parent(const fs::path& path) {
  if (!path.has_parent_path()) return;
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (error) fail(path, error.message());
}

/// Writes all of `text` and waits until it is on the disk. False leaves errno set.
bool write_and_sync(int file, const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = write(file, text.data() + done, text.size() - done);
    if (count < 0 && errno != EINTR) return false;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
  return fsync(file) == 0;
}

void discard(const fs::path& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
}

void write_file(const fs::path& path, const std::string& text) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (file < 0) fail(path, std::strerror(errno));
  const bool is_written = write_and_sync(file, text);
  const int error = errno;
  close(file);
  if (is_written) return;
  discard(path);
  fail(path, std::strerror(error));
}

}  // namespace

ResultFile::ResultFile(const std::string& output, const std::string& default_name)
    : path_(choose_path(output, default_name)) {
  draft_ = path_;
  draft_ += fmt::format(".{}.part", getpid());
  make_parent(path_);
  // Only to see that it can be done: a run that is killed leaves no empty file behind.
  write_file(draft_, "");
  discard(draft_);
}

void ResultFile::save(const RunRecord& run) const { save_text(run_document(run)); }

void ResultFile::save_text(const std::string& document) const {
  write_file(draft_, document);
  std::error_code error;
  fs::rename(draft_, path_, error);
  if (!error) return;
  discard(draft_);
  fail(path_, error.message());
}

std::string result_name(const std::string& utc, const std::string& host,
                        const std::vector<std::string>& devices) {
  std::string name = utc + "-" + host + "-" + join(devices, "+");
  std::replace_if(
      name.begin(), name.end(),
      [](unsigned char c) { return std::isalnum(c) == 0 && c != '-' && c != '+' && c != '.' && c != '_'; },
      '-');
  return name + ".json";
}

}  // namespace gpubench
