// Where suites are: in the program, in the user's folder, in any file.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "engine/plan/suite.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

fs::path path_in_environment(const char* variable) {
  const char* const value = std::getenv(variable);
  return value != nullptr ? value : "";
}

/// Where the user's own suites are looked for; empty where there is no home.
fs::path user_folder() {
  fs::path folder = path_in_environment("XDG_CONFIG_HOME");
  if (folder.empty()) {
    folder = path_in_environment("HOME");
    if (folder.empty()) return {};
    folder /= ".config";
  }
  return folder / "gpubench" / "suites";
}

/// The user's suites by name, in order; none where there is no folder.
std::set<std::string> user_names() {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(user_folder(), ignored)) {
    if (entry.path().extension() == ".json") names.insert(entry.path().stem().string());
  }
  return names;
}

std::vector<std::string> built_in_names() {
  std::vector<std::string> names;
  for (const BuiltInSuite& suite : built_in_suites()) names.emplace_back(suite.name);
  return names;
}

Suite load_file(const fs::path& path) {
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::kUsage, "suite " + path.string() + ": " + what);
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse("is a folder; give a file");
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) refuse("cannot be read; give a file, or a name of 'gpubench suite list'");
  return parse_suite(path.stem().string(), text, path.string());
}

Suite load_built_in(const std::string& name) {
  for (const BuiltInSuite& suite : built_in_suites()) {
    if (suite.name == name) return parse_suite(name, std::string(suite.text), "built-in");
  }
  throw Error(ErrorKind::kInternal, "suite " + name + " is not built in");
}

bool looks_like_path(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".json");
}

/// All names, the built-in ones first.
std::vector<std::string> known_names() {
  std::vector<std::string> names = built_in_names();
  std::set<std::string> others = user_names();
  for (const std::string& name : names) others.erase(name);
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

Suite load_named(const std::string& name) {
  return user_names().contains(name) ? load_file(user_folder() / (name + ".json")) : load_built_in(name);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

Suite load_suite(const std::string& name_or_file) {
  const std::vector<std::string> names = known_names();
  std::error_code ignored;
  if (looks_like_path(name_or_file)) return load_file(name_or_file);
  if (contains(names, name_or_file)) return load_named(name_or_file);
  if (fs::exists(name_or_file, ignored)) return load_file(name_or_file);
  throw Error(ErrorKind::kUsage, unknown_name_message("suite", name_or_file, names) + "; or give a file");
}

std::vector<Suite> all_suites() {
  std::vector<Suite> suites;
  for (const std::string& name : known_names()) suites.push_back(load_named(name));
  return suites;
}

}  // namespace gpubench
