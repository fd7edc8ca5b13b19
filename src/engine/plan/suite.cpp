#include "engine/plan/suite.h"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"

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

std::string text_of(const json& value) {
  require_kind(value.is_string(), "a text in quotes", value);
  return value.get<std::string>();
}

std::int64_t whole_number_of(const json& value) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= kLargest;
  require_kind(value.is_number_integer() && fits, "a whole number of at most 63 bits", value);
  return value.get<std::int64_t>();
}

double number_of(const json& value) {
  require_kind(value.is_number(), "a number", value);
  return value.get<double>();
}

Seconds duration_of(const json& value) {
  require_kind(value.is_number() || value.is_string(), R"(a duration, as "90s" or 90)", value);
  return parse_duration(value.is_number() ? value.dump() : text_of(value), "duration");
}

/// The elements of a list, or the one value that stands for a list of one.
template <class T>
std::vector<T> list_of(const json& value, T (*element_of)(const json&)) {
  if (!value.is_array()) return {element_of(value)};
  if (value.empty()) refuse("the list is empty; give at least one");
  std::vector<T> list;
  for (const json& element : value) list.push_back(element_of(element));
  return list;
}

/// The elements of a list of names, each as the value that `value_named` gives for it.
template <class Enum>
std::vector<Enum> list_of_named(const json& value, Enum (*value_named)(const std::string&)) {
  std::vector<Enum> list;
  for (const std::string& name : list_of(value, text_of)) list.push_back(value_named(name));
  return list;
}

ModelSizes sizes_of(const json& value) {
  require_kind(value.is_object(), "an object in braces", value);
  ModelSizes sizes;
  for (const auto& item : value.items()) sizes[item.key()] = whole_number_of(item.value());
  return sizes;
}

bool truth_of(const json& value) {
  require_kind(value.is_boolean(), "true or false", value);
  return value.get<bool>();
}

/// What a key sets in a T, which is a suite or one of its groups.
template <class T>
struct Key {
  const char* name;
  void (*set)(T& target, const json& value);
};

// The long options of the command line, with underscores.
constexpr auto kGroupKeys = std::to_array<Key<PlanOptions>>({
    {"model", [](PlanOptions& o, const json& v) { o.models = list_of(v, text_of); }},
    {"sizes", [](PlanOptions& o, const json& v) { o.sizes = sizes_of(v); }},
    {"batch", [](PlanOptions& o, const json& v) { o.batch_sizes = list_of(v, whole_number_of); }},
    {"dataset", [](PlanOptions& o, const json& v) { o.dataset = text_of(v); }},
    {"device", [](PlanOptions& o, const json& v) { o.devices = list_of(v, text_of); }},
    {"execution",
     [](PlanOptions& o, const json& v) { o.executions = list_of_named(v, value_named<Execution>); }},
    {"precision",
     [](PlanOptions& o, const json& v) { o.precisions = list_of_named(v, value_named<Precision>); }},
    {"layout", [](PlanOptions& o, const json& v) { o.layouts = list_of_named(v, value_named<Layout>); }},
    {"loader", [](PlanOptions& o, const json& v) { o.loaders = list_of_named(v, value_named<Loader>); }},
    {"profile", [](PlanOptions& o, const json& v) { o.is_profiled = truth_of(v); }},
    {"protocol", [](PlanOptions& o, const json& v) { o.protocol = value_named<Protocol>(text_of(v)); }},
    {"epochs", [](PlanOptions& o, const json& v) { o.epochs = whole_number_of(v); }},
    {"min_epochs", [](PlanOptions& o, const json& v) { o.min_epochs = whole_number_of(v); }},
    {"max_epochs", [](PlanOptions& o, const json& v) { o.max_epochs = whole_number_of(v); }},
    {"target_cv", [](PlanOptions& o, const json& v) { o.target_cv = number_of(v); }},
    {"warmup", [](PlanOptions& o, const json& v) { o.warmup_epochs = whole_number_of(v); }},
    {"limit", [](PlanOptions& o, const json& v) { o.limit = whole_number_of(v); }},
    {"seed", [](PlanOptions& o, const json& v) { o.seed = whole_number_of(v); }},
    {"learning_rate", [](PlanOptions& o, const json& v) { o.learning_rate = number_of(v); }},
    {"repeat", [](PlanOptions& o, const json& v) { o.repeat = whole_number_of(v); }},
});

constexpr auto kSuiteKeys = std::to_array<Key<Suite>>({
    {"summary", [](Suite& s, const json& v) { s.summary = text_of(v); }},
    {"timeout", [](Suite& s, const json& v) { s.timeout = duration_of(v); }},
    {"budget", [](Suite& s, const json& v) { s.budget = duration_of(v); }},
    {"groups", [](Suite&, const json&) {}},  // Read last: their messages count them.
});

template <class T>
const Key<T>& key_named(const std::string& name, std::span<const Key<T>> keys) {
  std::vector<std::string> known;
  for (const Key<T>& key : keys) {
    if (key.name == name) return key;
    known.emplace_back(key.name);
  }
  refuse(unknown_name_message("key", name, known));
}

/// Sets in `target` all that `value`, an object, says.
template <class T>
void read_object(const json& value, std::span<const Key<T>> keys, T& target) {
  require_kind(value.is_object(), "an object in braces", value);
  for (const auto& item : value.items()) {
    const Key<T>& key = key_named(item.key(), keys);
    within('"' + item.key() + '"', [&] { key.set(target, item.value()); });
  }
}

std::vector<PlanOptions> groups_of(const json& document) {
  const json groups = document.value("groups", json());
  if (!groups.is_array() || groups.empty()) refuse(R"("groups" must be a list of at least one object)");
  std::vector<PlanOptions> list;
  for (const json& group : groups) {
    PlanOptions& options = list.emplace_back();
    within("group " + std::to_string(list.size()),
           [&] { read_object<PlanOptions>(group, kGroupKeys, options); });
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
    throw Error(ErrorKind::kUsage, "suite " + path.string() + ": " + what);
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
  std::function<Suite()> load;
};

/// The built-in ones, or those of the user in their place, then the user's other ones.
std::vector<KnownSuite> known_suites() {
  std::map<std::string, fs::path> files = user_files();
  std::vector<KnownSuite> known;
  const auto add_file = [&](const std::string& name, const fs::path& path) {
    known.push_back({name, [path] { return load_file(path); }});
  };
  for (const BuiltInSuite& suite : built_in_suites()) {
    const std::string name(suite.name);
    if (const auto own = files.extract(name)) {
      add_file(name, own.mapped());
    } else {
      known.push_back(
          {name, [name, suite] { return parse_suite(name, std::string(suite.text), "built-in"); }});
    }
  }
  for (const auto& [name, path] : files) add_file(name, path);
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
    read_object<Suite>(document, kSuiteKeys, suite);
    suite.groups = groups_of(document);
  });
  return suite;
}

Suite load_suite(const std::string& name_or_file) {
  if (looks_like_path(name_or_file)) return load_file(name_or_file);
  std::vector<std::string> names;
  for (const KnownSuite& suite : known_suites()) {
    if (suite.name == name_or_file) return suite.load();
    names.push_back(suite.name);
  }
  std::error_code ignored;
  if (fs::exists(name_or_file, ignored)) return load_file(name_or_file);
  throw Error(ErrorKind::kUsage, unknown_name_message("suite", name_or_file, names) + "; or give a file");
}

std::vector<Suite> all_suites() {
  std::vector<Suite> suites;
  for (const KnownSuite& suite : known_suites()) suites.push_back(suite.load());
  return suites;
}

}  // namespace gpubench
