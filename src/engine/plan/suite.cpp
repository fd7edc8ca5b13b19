#include "engine/plan/suite.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <map>
#include <set>
#include <variant>

#include <nlohmann/json.hpp>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/names.h"

namespace gpubench {
namespace {

using nlohmann::json;

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::kUsage, message); }

/// Does `work`; its errors then say where they were.
template <class Work>
void within(const std::string& where, Work work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error(error.kind(), where + ": " + error.what());
  }
}

void require_kind(bool is_it, const char* expected, const json& value) {
  if (!is_it) refuse(std::string("must be ") + expected + ", but is " + value.dump());
}

// How a value of each type is read.

void read(const json& value, std::string& text) {
  require_kind(value.is_string(), "a text in quotes", value);
  text = value.get<std::string>();
}

void read(const json& value, std::int64_t& number) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= kLargest;
  require_kind(value.is_number_integer() && fits, "a whole number of at most 63 bits", value);
  number = value.get<std::int64_t>();
}

void read(const json& value, double& number) {
  require_kind(value.is_number(), "a number", value);
  number = value.get<double>();
}

void read(const json& value, bool& truth) {
  require_kind(value.is_boolean(), "true or false", value);
  truth = value.get<bool>();
}

void read(const json& value, Seconds& duration) {
  require_kind(value.is_number() || value.is_string(), R"(a duration, as "90s" or 90)", value);
  duration = parse_duration(value.is_number() ? value.dump() : value.get<std::string>(), "duration");
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(const json& value, Enum& named) {
  std::string name;
  read(value, name);
  named = names_of(named).value_of(name, ErrorKind::kUsage);
}

template <class T>
void read(const json& value, std::optional<T>& set) {
  read(value, set.emplace());
}

/// The elements of a list, or the one value that stands for a list of one.
template <class T>
void read(const json& value, std::vector<T>& list) {
  list.clear();
  if (!value.is_array()) return read(value, list.emplace_back());
  if (value.empty()) refuse("the list is empty; give at least one");
  for (const json& element : value) read(element, list.emplace_back());
}

void read(const json& value, ModelSizes& sizes) {
  require_kind(value.is_object(), "an object in braces", value);
  sizes.clear();
  for (const auto& item : value.items()) read(item.value(), sizes[item.key()]);
}

/// A key that is read elsewhere.
void read(const json& /*value*/, std::monostate& /*nothing*/) {}

/// The keys of a group: the long options of the command line, with underscores.
void visit_keys(auto&& visit, PlanOptions& options) {
  visit("model", options.models);
  visit("sizes", options.sizes);
  visit("batch", options.batch_sizes);
  visit("dataset", options.dataset);
  visit("device", options.devices);
  visit("execution", options.executions);
  visit("precision", options.precisions);
  visit("layout", options.layouts);
  visit("loader", options.loaders);
  visit("profile", options.is_profiled);
  visit("protocol", options.protocol);
  visit("epochs", options.epochs);
  visit("min_epochs", options.min_epochs);
  visit("max_epochs", options.max_epochs);
  visit("target_halfwidth", options.target_halfwidth);
  visit("target_cv", options.target_halfwidth);  // What it was called.
  visit("warmup", options.warmup_epochs);
  visit("limit", options.limit);
  visit("seed", options.seed);
  visit("learning_rate", options.learning_rate);
  visit("repeat", options.repeat);
}

void visit_keys(auto&& visit, Suite& suite) {
  visit("summary", suite.summary);
  visit("timeout", suite.timeout);
  visit("budget", suite.budget);
  std::monostate last;  // Their messages count the groups.
  visit("groups", last);
}

/// Sets in `target`, a suite or one of its groups, all that `value`, an object, says.
template <class T>
void read_object(const json& value, T& target) {
  require_kind(value.is_object(), "an object in braces", value);
  for (const auto& item : value.items()) {
    std::vector<std::string> others;
    bool is_known = false;
    const auto read_if_meant = [&](const char* name, auto& member) {
      others.emplace_back(name);
      if (item.key() != name) return;
      is_known = true;
      within('"' + item.key() + '"', [&] { read(item.value(), member); });
    };
    visit_keys(read_if_meant, target);
    if (!is_known) refuse(unknown_name_message("key", item.key(), others));
  }
}

std::vector<PlanOptions> groups_of(const json& document) {
  const json groups = document.value("groups", json());
  if (!groups.is_array() || groups.empty()) refuse(R"("groups" must be a list of at least one object)");
  std::vector<PlanOptions> list;
  for (const json& group : groups) {
    PlanOptions& options = list.emplace_back();
    within("group " + std::to_string(list.size()), [&] { read_object(group, options); });
  }
  return list;
}

/// A parser's callback that refuses a second value for a key: the library would silently take it for the
/// first.
json::parser_callback_t duplicate_guard() {
  return [open = std::vector<std::set<std::string>>()](int, json::parse_event_t event, json& parsed) mutable {
    if (event == json::parse_event_t::object_start) open.emplace_back();
    if (event == json::parse_event_t::object_end) open.pop_back();
    if (event == json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second) {
      refuse("the key " + parsed.dump() + " stands twice in one object; keep one");
    }
    return true;
  };
}

json parse_json(const std::string& text) {
  try {
    return json::parse(text, duplicate_guard(), /*allow_exceptions=*/true, /*ignore_comments=*/true);
  } catch (const json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 3, column 5: syntax error while ..."
    const std::string message = error.what();
    const std::size_t place = message.find("line ");
    refuse((place == std::string::npos ? message : message.substr(place)) + "; see docs/suites.md");
  }
}

namespace fs = std::filesystem;

/// Where the user's own suites are looked for; empty where there is no home.
fs::path user_folder() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return fs::path(config) / "gpubench" / "suites";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".config" / "gpubench" / "suites";
  return {};
}

/// The files of the user's suites by name; none where there is no folder.
std::map<std::string, fs::path> user_files() {
  std::map<std::string, fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(user_folder(), ignored)) {
    if (entry.path().extension() == ".json") files[entry.path().stem().string()] = entry.path();
  }
  return files;
}

Suite load_file(const fs::path& path) {
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::kUsage, "suite {}: {}", path.string(), what);
  };
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) refuse("is a folder; give a file");
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in) refuse("cannot be read; give a file, or a name of 'gpubench suite list'");
  return parse_suite(path.stem().string(), text, path.string());
}

bool looks_like_path(const std::string& word) {
  return word.find('/') != std::string::npos || word.ends_with(".json");
}

/// A suite that has a name.
struct KnownSuite {
  std::string name;
  fs::path file;          // Empty for a built-in one.
  std::string_view text;  // Of a built-in one.

  Suite load() const {
    return file.empty() ? parse_suite(name, std::string(text), "built-in") : load_file(file);
  }
};

/// The built-in ones, or those of the user in their place, then the user's other ones.
std::vector<KnownSuite> known_suites() {
  std::map<std::string, fs::path> files = user_files();
  std::vector<KnownSuite> known;
  for (const BuiltInSuite& suite : built_in_suites()) {
    const std::string name(suite.name);
    const auto own = files.extract(name);
    known.push_back({name, own ? own.mapped() : fs::path(), suite.text});
  }
  for (const auto& [name, path] : files) known.push_back({name, path, {}});
  return known;
}

}  // namespace

Suite parse_suite(const std::string& name, const std::string& text, const std::string& origin) {
  Suite suite;
  suite.name = name;
  suite.origin = origin;
  suite.text = text;
  within(origin, [&] {
    const json document = parse_json(text);
    read_object(document, suite);
    suite.groups = groups_of(document);
  });
  return suite;
}

Suite load_suite(const std::string& name_or_file) {
  if (looks_like_path(name_or_file)) return load_file(name_or_file);
  const std::vector<KnownSuite> known = known_suites();
  const auto named = std::ranges::find(known, name_or_file, &KnownSuite::name);
  if (named != known.end()) return named->load();
  std::error_code ignored;
  if (fs::exists(name_or_file, ignored)) return load_file(name_or_file);
  refuse(unknown_name_message("suite", name_or_file, names_in(known)) + "; or give a file");
}

std::vector<Suite> all_suites() { return mapped(known_suites(), &KnownSuite::load); }

}  // namespace gpubench
