#include "engine/plan/suite.h"

#include <filesystem>
#include <map>

#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/quantities.h"
#include "record/document/json.h"

namespace gpubench {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::kUsage, message); }

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

/// Formats a scalar or the sizes of a model as on the command line.
std::string to_word(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_object()) {
    std::vector<std::string> parts;
    for (const auto& item : value.items()) parts.push_back(item.key() + "=" + to_word(item.value()));
    return join(parts, ",");
  }
  require_kind(value.is_number() || value.is_boolean(), "a string, a number, true or false", value);
  return value.dump();
}

/// Sets a parameter from a value or, if the parameter can vary in a plan, a list of values.
void read_parameter(const Json& value, const Parameter<TrainPoint>& parameter, TrainGrid& grid) {
  // Suites may be untrusted, so they must not choose an output folder.
  if (parameter.values.kind == Kind::kBoolean && !value.is_boolean())
    refuse('"' + parameter.key + "\" must be true or false, but is " + value.dump());
  const bool is_list = value.is_array() && parameter.use.span == Span::kList;
  if (value.is_array() && value.empty()) refuse("the list is empty; give at least one value");
  std::vector<std::string> words;
  for (const Json& item : is_list ? value : Json::array({value})) words.push_back(to_word(item));
  grid.set(parameter, words, '"' + parameter.key + '"');
}

TrainGrid read_group(const Json& value) {
  require_kind(value.is_object(), "an object in braces", value);
  std::vector<std::string> keys;
  for (const Parameter<TrainPoint>& parameter : train_parameters()) {
    if (*parameter.use.option != '\0') keys.push_back(parameter.key);
  }
  TrainGrid grid;
  for (const auto& item : value.items()) {
    const std::string& key = item.key();
    if (std::ranges::find(keys, key) == keys.end()) refuse(unknown_name_message("key", key, keys));
    read_parameter(item.value(), *train_parameters().find(key), grid);
  }
  return grid;
}

void read_groups(const Json& value, std::vector<TrainGrid>& groups) {
  constexpr std::size_t kMaxGroups = 10'000;
  if (!value.is_array() || value.empty()) refuse(R"("groups" must be a list of at least one object)");
  require(value.size() <= kMaxGroups,
          R"("groups" has more than {} entries; use lists of values in fewer groups)", kMaxGroups);
  for (const Json& group : value)
    within("group " + std::to_string(groups.size() + 1), [&] { groups.push_back(read_group(group)); });
}

Seconds read_duration(const Json& value) {
  require_kind(value.is_number() || value.is_string(), R"(a duration such as "90s" or 90)", value);
  return parse_duration(to_word(value), "duration");
}

void read_suite(const Json& value, Suite& suite) {
  require_kind(value.is_object(), "an object in braces", value);
  const std::vector<std::string> keys{"budget", "groups", "summary", "timeout"};
  for (const auto& item : value.items()) {
    const std::string& key = item.key();
    if (std::ranges::find(keys, key) == keys.end()) refuse(unknown_name_message("key", key, keys));
    if (key == "groups") read_groups(item.value(), suite.groups);
    within('"' + key + '"', [&] {
      if (key == "summary") {
        require_kind(item.value().is_string(), "a string", item.value());
        suite.summary = item.value().get<std::string>();
      }
      if (key == "timeout") suite.timeout = read_duration(item.value());
      if (key == "budget") suite.budget = read_duration(item.value());
    });
  }
}

namespace fs = std::filesystem;

constexpr Bytes kMaxSuiteSize{std::int64_t{64} << 20};

Suite load_file(const fs::path& path) {
  const Measured<std::string> text = read_untrusted_file(path, kMaxSuiteSize);
  if (text.has_value()) return parse_suite(path.stem().string(), text.value(), path.string());
  throw Error(ErrorKind::kUsage, "suite {}: {}; give a file, or a name from 'gpubench suite list'",
              path.string(), text.reason());
}

struct KnownSuite {
  std::string name;
  fs::path file;          // Empty for a built-in suite.
  std::string_view text;  // Text of a built-in suite.

  Suite load() const {
    return file.empty() ? parse_suite(name, std::string(text), "built-in") : load_file(file);
  }
};

std::vector<KnownSuite> known_suites() {
  std::map<std::string, fs::path> files;
  std::error_code ignored;
  const fs::path config = config_folder();
  for (const auto& entry : fs::directory_iterator(config.empty() ? config : config / "suites", ignored)) {
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
      refuse(std::string(error.what()) + "; see docs/training.md");
    }
    read_suite(document, suite);
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
