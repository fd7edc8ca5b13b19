#include "app/files/result_file.h"

#include <unistd.h>

#include <cctype>
#include <random>
#include <string_view>

#include <fmt/format.h>

#include "device/host/host.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/messages.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, "--output {}: {}; give a file in a folder that you can write to",
              path.string(), why);
}

}  // namespace

fs::path find_output(const std::string& output, const std::string& name) {
  if (output.empty()) return fs::path("results") / name;
  std::error_code ignored;
  const bool is_folder = !name.empty() && (output.ends_with('/') || fs::is_directory(output, ignored));
  return is_folder ? fs::path(output) / name : fs::path(output);
}

bool has_content(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && fs::file_size(path, ignored) > 0;
}

void require_free(const fs::path& path) {
  require(!has_content(path), "--output {}: already exists; give another name, or replace it with --force",
          path.string());
}

ResultFile::ResultFile(const std::string& output, const std::string& default_name, bool overwrites)
    : path_(find_output(output, default_name)) {
  std::error_code failure;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), failure);
  if (failure) fail(path_, failure.message());
  if (std::error_code ignored; fs::is_directory(path_, ignored)) fail(path_, "is a folder");
  if (!overwrites) require_free(path_);
  // Checks without creating the file, so that a killed run leaves no empty file.
  if (const std::error_code error = check_writable(path_)) fail(path_, error.message());
}

bool ResultFile::is_replaceable() const { return !is_stream(path_); }

void ResultFile::save_snapshot(const std::string& document) const {
  if (!is_replaceable()) return;
  try {
    save(document);
  } catch (const Error& error) {
    log_info(std::string(error.what()) + "; the run continues");
  }
}

void ResultFile::save(const std::string& document) const {
  if (const std::error_code error = write_file(path_, document)) fail(path_, error.message());
}

std::string result_name(const std::string& utc, const std::string& host,
                        const std::vector<std::string>& devices) {
  std::string name = utc + "-" + host + "-" + join(devices, "+");
  for (char& c : name) {
    const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (!is_plain && std::string_view("-+._").find(c) == std::string_view::npos) c = '-';
  }
  return name + ".json";
}

std::optional<ResultFile> open_result(const ResultOutput& to, const std::string& prefix,
                                      const std::string& started_at,
                                      const std::vector<std::string>& devices) {
  if (to.output == "-") return std::nullopt;
  // Runs on different GPUs may start in the same second and all call their GPU cuda:0.
  const std::string last = join(devices, "+") + "-" + std::to_string(getpid());
  return ResultFile(to.output, prefix + result_name(started_at, host_name(), {last}), to.overwrites);
}

void finish_result(const std::optional<ResultFile>& file, const std::string& document,
                   const std::string& shown, bool is_quiet) {
  if (!file) return print(document);
  try {
    file->save(document);
  } catch (const Error&) {
    print(shown);  // The only output of the measurement.
    throw;
  }
  print(shown);
  flush_output();  // Keeps the order if stdout and stderr share a log.
  if (!is_quiet) log_info("result in " + file->path().string());
}

void write_document(const DocumentOutput& to, const std::string& source, const std::string& text) {
  if (to.output.empty() || to.output == "-") {
    print(text);
    return;
  }
  const ResultFile file(to.output, fs::path(source).filename().string(), to.overwrites);
  file.save(text);
  log_info("result in " + file.path().string());
}

ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at) {
  const std::string commit = GPUBENCH_GIT_COMMIT;
  ToolRecord tool;
  std::random_device random;
  std::string digits;
  for (int part = 0; part < 4; ++part) digits += fmt::format("{:08x}", random());
  tool.run_id = digits;
  tool.version = GPUBENCH_VERSION;
  tool.git_commit = commit.empty() ? Measured<std::string>(missing("built outside a git checkout")) : commit;
  tool.arguments = mapped(arguments, without_passwords);
  tool.started_at = started_at;
  return tool;
}

}  // namespace gpubench
