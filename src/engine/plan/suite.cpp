#include "engine/plan/suite.h"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/outside_file.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/names.h"
#include "record/document/json.h"

namespace gpubench {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::kUsage, message); }

/// Does `work`, and prefixes its errors with `where`.
template <class Work>
void within(const std::string& where, Work work) {
  try {
    work();
  } catch (const Error& error) {
    throw Error(error.kind(), where + ": " + error.what());
  }
}

void require_kind(bool is_valid, const char* expected, const Json& value) {
  if (!is_valid) refuse(std::string("must be ") + expected + ", but is " + value.dump());
}

template <class T>
requires std::is_same_v<T, std::string> || std::is_arithmetic_v<T>
void read(const Json& value, T& target) {
  if constexpr (std::is_same_v<T, std::string>) {
    require_kind(value.is_string(), "a text in quotes", value);
  } else if constexpr (std::is_same_v<T, bool>) {
    require_kind(value.is_boolean(), "true or false", value);
  } else if constexpr (std::is_same_v<T, double>) {
    require_kind(value.is_number(), "a number", value);
  } else {
    const bool fits = !value.is_number_unsigned() || std::in_range<T>(value.get<std::uint64_t>());
    require_kind(value.is_number_integer() && fits, "a whole number of at most 63 bits", value);
  }
  target = value.get<T>();
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

/// Reads a list, or one value as a list of one.
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

/// Keys of a group: the long options of the command line, with underscores.
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
  visit("groups", suite.groups);
}

void read_groups(const Json& value, std::vector<PlanOptions>& groups);

/// Sets in `target`, a suite or one of its groups, the members that `value`, an object, names.
template <class T>
void read_object(const Json& value, T& target) {
  require_kind(value.is_object(), "an object in braces", value);
  for (const auto& item : value.items()) {
    bool is_known = false;
    std::vector<std::string> keys;
    const auto read_if_meant = [&](const char* name, auto& member) {
      keys.emplace_back(name);
      if (item.key() != name) return;
      is_known = true;
      if constexpr (std::is_same_v<decltype(member), std::vector<PlanOptions>&>)
        read_groups(item.value(), member);
      else
        within('"' + item.key() + '"', [&] { read(item.value(), member); });
    };
    visit_keys(read_if_meant, target);
    if (!is_known) refuse(unknown_name_message("key", item.key(), keys));
  }
}

void read_groups(const Json& value, std::vector<PlanOptions>& groups) {
  constexpr std::size_t kMostGroups = 10'000;
  if (value.size() > kMostGroups) {
    refuse(fmt::format(R"("groups" has more than {} entries; give lists of values in fewer)", kMostGroups));
  }
  if (!value.is_array()) return;  // Refused as an empty list.
  for (const Json& group : value) {
    PlanOptions& options = groups.emplace_back();
    within("group " + std::to_string(groups.size()), [&] { read_object(group, options); });
  }
}

namespace fs = std::filesystem;

/// Returns the folder of the user's own suites; empty without a home.
fs::path user_folder() {
  const char* const config = std::getenv("XDG_CONFIG_HOME");
  if (config != nullptr && *config != '\0') return fs::path(config) / "gpubench" / "suites";
  const char* const home = std::getenv("HOME");
  if (home != nullptr && *home != '\0') return fs::path(home) / ".config" / "gpubench" / "suites";
  return {};
}

constexpr Bytes kLargestSuite{std::int64_t{64} << 20};

Suite load_file(const fs::path& path) {
  const Measured<std::string> text = read_outside_file(path, kLargestSuite);
  if (text.has_value()) return parse_suite(path.stem().string(), text.value(), path.string());
  throw Error(ErrorKind::kUsage, "suite {}: {}; give a file, or a name of 'gpubench suite list'",
              path.string(), text.reason());
}

struct KnownSuite {
  std::string name;
  fs::path file;          // Empty for a built-in one.
  std::string_view text;  // Of a built-in one.

  Suite load() const {
    return file.empty() ? parse_suite(name, std::string(text), "built-in") : load_file(file);
  }
};

/// Returns the built-in ones, or the user's in their place, then the user's other ones.
std::vector<KnownSuite> known_suites() {
  std::map<std::string, fs::path> files;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(user_folder(), ignored)) {
    if (entry.path().extension() == ".json") files[entry.path().stem().string()] = entry.path();
  }
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
    Json document;
    try {
      document = parse_document(text, Comments::kTaken);
    } catch (const Error& error) {
      refuse(std::string(error.what()) + "; see docs/suites.md");
    }
    read_object(document, suite);
    if (suite.groups.empty()) refuse(R"("groups" must be a list of at least one object)");
  });
  return suite;
}

Suite load_suite(const std::string& name_or_file) {
  if (name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".json"))
    return load_file(name_or_file);
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
