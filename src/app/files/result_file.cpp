#include "app/files/result_file.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "device/host/host.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, "--output {}: {}; give a file in a folder that you can write to",
              path.string(), why);
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

}  // namespace

ResultFile::ResultFile(const std::string& output, const std::string& default_name)
    : path_(choose_path(output, default_name)) {
  make_parent(path_);
  // Only to see that it can be done: a run that is killed leaves no empty file behind.
  if (const std::error_code error = check_writable(path_)) fail(path_, error.message());
}

bool ResultFile::is_replaceable() const { return !is_stream(path_); }

void ResultFile::keep(const std::string& document) const {
  if (!is_replaceable()) return;
  try {
    save(document);
  } catch (const Error& error) {
    say(std::string(error.what()) + "; the run goes on");
  }
}

void ResultFile::save(const std::string& document) const {
  if (const std::error_code error = write_file(path_, document)) fail(path_, error.message());
}

void ResultFile::conclude(const std::string& document, const std::string& shown) const {
  std::optional<Error> failure;
  try {
    save(document);
  } catch (const Error& error) {
    failure = error;  // Then what is shown is all that is left.
  }
  print_out(shown);
  if (failure) throw *failure;
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

void write_document(const std::string& output, const std::string& source, const std::string& text) {
  if (output.empty() || output == "-") {
    print_out(text);
    return;
  }
  const ResultFile file(output, fs::path(source).filename().string());
  file.save(text);
  say("result in " + file.path().string());
}

ToolRecord tool_record(const std::vector<std::string>& arguments, const std::string& started_at) {
  const std::string commit = GPUBENCH_GIT_COMMIT;
  ToolRecord tool;
  tool.version = GPUBENCH_VERSION;
  tool.git_commit = commit.empty() ? Reading<std::string>(absent("built outside a git checkout")) : commit;
  std::transform(arguments.begin(), arguments.end(), std::back_inserter(tool.arguments), without_passwords);
  tool.started_at = started_at;
  return tool;
}

Identity own_identity() {
  Identity identity{host_name(), "", ""};
  if (const passwd* user = getpwuid(getuid())) {
    identity.user = user->pw_name;
    identity.home = user->pw_dir;
  }
  if (const char* home = std::getenv("HOME")) identity.home = home;
  return identity;
}

}  // namespace gpubench
