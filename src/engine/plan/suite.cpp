#include "engine/plan/suite.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <variant>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/io/outside_file.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/names.h"
#include "record/document/document_file.h"

namespace gpubench {
namespace {

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

void require_kind(bool is_it, const char* expected, const Json& value) {
  if (!is_it) refuse(std::string("must be ") + expected + ", but is " + value.dump());
}

// How a value of each type is read.

void read(const Json& value, std::string& text) {
  require_kind(value.is_string(), "a text in quotes", value);
  text = value.get<std::string>();
}

void read(const Json& value, std::int64_t& number) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const bool fits = !value.is_number_unsigned() || value.get<std::uint64_t>() <= kLargest;
  require_kind(value.is_number_integer() && fits, "a whole number of at most 63 bits", value);
  number = value.get<std::int64_t>();
}

void read(const Json& value, double& number) {
  require_kind(value.is_number(), "a number", value);
  number = value.get<double>();
}

void read(const Json& value, bool& truth) {
  require_kind(value.is_boolean(), "true or false", value);
  truth = value.get<bool>();
}

void read(const Json& value, Seconds& duration) {
  require_kind(value.is_number() || value.is_string(), R"(a duration, as "90s" or 90)", value);
  duration = parse_duration(value.is_number() ? value.dump() : value.get<std::string>(), "duration");
}

template <class Enum>
requires std::is_enum_v<Enum>
void read(const Json& value, Enum& named) {
  std::string name;
  read(value, name);
  named = enum_names(named).find_value(name, ErrorKind::kUsage);
}

template <class T>
void read(const Json& value, std::optional<T>& set) {
  read(value, set.emplace());
}

/// The elements of a list, or the one value that stands for a list of one.
template <class T>
void read(const Json& value, std::vector<T>& list) {
  list.clear();
  if (!value.is_array()) return read(value, list.emplace_back());
  if (value.empty()) refuse("the list is empty; give at least one");
  for (const Json& element : value) read(element, list.emplace_back());
}

void read(const Json& value, ModelSizes& sizes) {
  require_kind(value.is_object(), "an object in braces", value);
  sizes.clear();
  for (const auto& item : value.items()) read(item.value(), sizes[item.key()]);
}

/// A key that is read elsewhere.
void read(const Json& /*value*/, std::monostate& /*nothing*/) {}

/// The keys of a group: the long options of the command line, with underscores.
void visit_keys(auto&& visit, PlanOptions& options) {
  visit("model", options.models);
  visit("sizes", options.sizes);
  visit("batch_size", options.batch_sizes);
  visit("rank_batch", options.rank_batch_sizes);
  visit("world_size", options.ranks);
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
  visit("target_rel_ci95", options.target_rel_ci95);
  visit("warmup", options.warmup_epochs);
  visit("max_samples", options.limit);
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

template <class T>
std::vector<std::string> list_keys(T& target) {
  std::vector<std::string> keys;
  visit_keys([&](const char* name, auto& /*member*/) { keys.emplace_back(name); }, target);
  return keys;
}

/// Sets in `target`, a suite or one of its groups, all that `value`, an object, says.
template <class T>
void read_object(const Json& value, T& target) {
  require_kind(value.is_object(), "an object in braces", value);
  for (const auto& item : value.items()) {
    bool is_known = false;
    const auto read_if_meant = [&](const char* name, auto& member) {
      if (item.key() != name) return;
      is_known = true;
      within('"' + item.key() + '"', [&] { read(item.value(), member); });
    };
    visit_keys(read_if_meant, target);
    if (!is_known) refuse(unknown_name_message("key", item.key(), list_keys(target)));
  }
}

constexpr std::size_t kMostGroups = 10'000;

std::vector<PlanOptions> list_groups(const Json& document) {
  const Json groups = document.value("groups", Json());
  if (!groups.is_array() || groups.empty()) refuse(R"("groups" must be a list of at least one object)");
  if (groups.size() > kMostGroups) {
    refuse(fmt::format(R"("groups" has more than {} entries; give lists of values in fewer)", kMostGroups));
  }
  std::vector<PlanOptions> list;
  for (const Json& group : groups) {
    PlanOptions& options = list.emplace_back();
    within("group " + std::to_string(list.size()), [&] { read_object(group, options); });
  }
  return list;
}

Json parse_json(const std::string& text) {
  try {
    return parse_document(text, Comments::kTaken);
  } catch (const Error& error) {
    refuse(std::string(error.what()) + "; see docs/suites.md");
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

constexpr Bytes kLargestSuite{std::int64_t{64} << 20};

Suite load_file(const fs::path& path) {
  const Measured<std::string> text = read_outside_file(path, kLargestSuite);
  if (text.has_value()) return parse_suite(path.stem().string(), text.value(), path.string());
  throw Error(ErrorKind::kUsage, "suite {}: {}; give a file, or a name of 'gpubench suite list'",
              path.string(), text.reason());
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
  for (const EmbeddedText& suite : built_in_suites()) {
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
    const Json document = parse_json(text);
    read_object(document, suite);
    suite.groups = list_groups(document);
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

std::vector<std::string> suite_names() { return names_in(known_suites()); }

std::vector<Suite> all_suites(std::vector<std::string>& faults) {
  std::vector<Suite> suites;
  for (const KnownSuite& suite : known_suites()) {
    try {
      suites.push_back(suite.load());
    } catch (const Error& error) {
      faults.emplace_back(error.what());
    }
  }
  return suites;
}

}  // namespace gpubench
