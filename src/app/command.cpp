#include "app/command.h"

#include <algorithm>
#include <sstream>

#include <CLI/CLI.hpp>

#include "gpubench/core/collect.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/record/workload.h"

namespace gpubench {
namespace {

void require_words(const std::string& names, const std::vector<std::string>& words) {
  require(std::ranges::count(words, "") == 0, "{}: is empty; give a value, or leave it out",
          longest_name(names));
}

}  // namespace

std::string longest_name(const std::string& names) { return names.substr(names.rfind(',') + 1); }

void read_word(const std::string& /*names*/, const std::string& word, std::string& value) { value = word; }

// CLI11 itself reads 010 as 8 and 1e30 as the largest integer.
std::int64_t read_whole(const std::string& names, const std::string& word, std::int64_t least,
                        std::int64_t most) {
  const std::optional<std::int64_t> value = parse_whole(word);
  require(value && *value >= least && *value <= most, "{} {}: give a whole number from {} to {}",
          longest_name(names), word, least, most);
  return *value;
}

void read_word(const std::string& names, const std::string& word, Seconds& value) {
  value = parse_duration(word, longest_name(names));
}

const CommandOption& CommandOption::required() const {
  option_.required();
  return *this;
}

const CommandOption& CommandOption::offers(KnownNames names) const {
  line_.offered[&option_] = std::move(names);
  return *this;
}

CommandOption CommandParser::option(const std::string& name, const std::string& type, const std::string& help,
                                    std::vector<std::string>& values) {
  const auto take = [name, &values](const std::vector<std::string>& words) {
    require_words(name, words);
    values = words;
  };
  return finish(*app_.add_option_function<std::vector<std::string>>(name, take, help), type);
}

CommandOption CommandParser::add(const std::string& name, const std::string& type, const std::string& help,
                                 const std::function<void(const std::string&)>& set) {
  const auto take = [name, set](const std::string& word) {
    require_words(name, {word});
    set(word);
  };
  return finish(*app_.add_option_function<std::string>(name, take, help), type);
}

CommandOption CommandParser::add_list(const std::string& name, const std::string& type,
                                      const std::string& help,
                                      const std::function<void(const std::vector<std::string>&)>& set) {
  const auto take = [name, set](const std::vector<std::string>& words) {
    // If a list is given twice, the last one counts, as for an option with one value.
    std::istringstream list(words.back() + ",");
    std::vector<std::string> parts;
    for (std::string part; std::getline(list, part, ',');) parts.push_back(part);
    require_words(name, parts);
    set(parts);
  };
  return finish(*app_.add_option_function<std::vector<std::string>>(name, take, help), type);
}

CommandOption CommandParser::finish(CLI::Option& option, const std::string& type) {
  option.type_name(type);
  if (!option.get_positional()) {
    // A word after "--batch 32" is another argument, not a second batch size.
    option.allow_extra_args(false);
    // The last value counts: --resume appends the new words to those of the earlier run.
    if (option.get_items_expected_max() == 1) option.take_last();
  }
  return {option, line_};
}

void CommandParser::flag(const std::string& name, const std::string& help, bool& value) {
  app_.add_flag(name, value, help);
}

void CommandParser::add_flag(const std::string& name, const std::string& type, const std::string& help,
                             const std::function<void(const std::string&)>& set) {
  const auto word = std::make_shared<std::string>();
  CLI::Option* const option = app_.add_flag(name, *word, help);
  option->each([word, set](const std::string& value) { set(value); });
  option->type_name(type);
}

void CommandParser::add_optional(const std::string& name, const std::string& type, const std::string& help,
                                 const std::function<void(const std::string&)>& set) {
  const auto take = [name, set, &given = line_.arguments](const std::vector<std::string>& words) {
    // CLI11 turns a missing value into an empty word.
    const bool has_empty_word = std::ranges::count(given, "") + std::ranges::count(given, name + "=") > 0;
    if (has_empty_word) require_words(name, words);
    set(words.empty() ? "" : words.back());
  };
  CLI::Option* const option = app_.add_option_function<std::vector<std::string>>(name, take, help);
  option->expected(0, 1)->type_name(type);
  option->take_last();
}

void CommandParser::group(const std::vector<std::string>& names, const std::string& heading) {
  for (const std::string& name : names) app_.get_option(name)->group(heading);
}

void CommandParser::hide(const std::vector<std::string>& names) {
  if (!line_.shows_all) group(names, "");
}

void CommandParser::remove(const std::vector<std::string>& names) {
  for (const std::string& name : names) app_.remove_option(app_.get_option(name));
}

void CommandParser::describe(const std::string& name, const std::string& help) {
  app_.get_option(name)->description(help);
}

void CommandParser::footer(const std::string& text) { app_.footer(text); }

CommandParser CommandParser::subcommand(const std::string& name, const std::string& summary) {
  return {*app_.add_subcommand(name, summary), line_};
}

void CommandParser::require_subcommand(const std::string& message) {
  app_.require_subcommand(0, 1);
  app_.callback([&app = app_, message] {
    if (app.get_subcommands().empty()) throw Error(ErrorKind::kUsage, message);
  });
}

const Catalog<CommandEntry>& commands() {
  static const Catalog<CommandEntry> all("subcommand", [] {
    std::vector<CommandEntry> entries = mapped(workloads(), workload_command);
    append(entries, std::vector<CommandEntry>(other_commands().begin(), other_commands().end()));
    return entries;
  }());
  return all;
}

const std::string& CommandParser::name() const { return app_.get_name(); }

void CommandParser::set_command(Command command) {
  // CLI11 calls the innermost callback first.
  app_.callback([&line = line_, command = std::move(command)] {
    if (!line.command) line.command = command;
  });
}

}  // namespace gpubench
