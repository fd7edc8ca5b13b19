#include "app/command.h"

#include <charconv>
#include <concepts>
#include <limits>
#include <string_view>

#include <CLI/CLI.hpp>

#include "gpubench/core/text/quantities.h"

namespace gpubench {
namespace {

// What a word of the command line means. CLI11 itself takes 010 for 8 and 1e30 for the largest whole number.

void read(const std::string& word, std::string& value) { value = word; }

void read(const std::string& word, double& value) {
  const std::optional<double> number = parse_decimal(word);
  require(number.has_value(), "give a number");
  value = *number;
}

template <std::integral Number>
void read(const std::string& word, Number& value) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const std::size_t first_digit = word.starts_with('-') ? 1 : 0;
  const bool has_leading_zero = word.size() > first_digit + 1 && word[first_digit] == '0';
  require(error != std::errc::result_out_of_range, "give a whole number from {} to {}",
          std::numeric_limits<Number>::min(), std::numeric_limits<Number>::max());
  require(error == std::errc() && end == word.data() + word.size() && !has_leading_zero,
          "give a whole number in decimal digits, without zeros before it");
}

/// The value of one word, or of one part of it. Throws a usage Error that begins with the option.
template <class T>
T find_value(const std::string& option, const std::string& word) {
  require(!word.empty(), "{}: is empty; give a value, or leave it out", option);
  try {
    T value{};
    read(word, value);
    return value;
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage, "{} {}: {}", option, word, error.what());
  }
}

std::vector<std::string> split_at_commas(const std::string& word) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != std::string::npos; begin = end + 1) {
    end = word.find(',', begin);
    parts.push_back(word.substr(begin, end - begin));
  }
  return parts;
}

/// Its longest: "--output" of "-o,--output".
std::string name_in_messages(const std::string& names) { return names.substr(names.rfind(',') + 1); }

template <class T>
CLI::Option* add_option(CLI::App& app, const std::string& name, const std::string& help, const Setter<T>& set,
                        bool /*has_commas*/) {
  const auto take = [set, option = name_in_messages(name)](const std::string& word) {
    set(find_value<T>(option, word));
  };
  return app.add_option_function<std::string>(name, take, help);
}

template <class T>
CLI::Option* add_option(CLI::App& app, const std::string& name, const std::string& help,
                        const Setter<std::vector<T>>& set, bool has_commas) {
  const auto take = [set, has_commas,
                     option = name_in_messages(name)](const std::vector<std::string>& words) {
    std::vector<T> values;
    for (const std::string& word : words) {
      for (const std::string& part : has_commas ? split_at_commas(word) : std::vector{word}) {
        values.push_back(find_value<T>(option, part));
      }
    }
    set(values);
  };
  return app.add_option_function<std::vector<std::string>>(name, take, help);
}

}  // namespace

const CommandOption& CommandOption::required() const {
  option_.required();
  return *this;
}

const CommandOption& CommandOption::environment(const std::string& variable) const {
  option_.envname(variable);
  return *this;
}

const CommandOption& CommandOption::offers(KnownNames names) const {
  line_.offered[&option_] = std::move(names);
  return *this;
}

CommandOption CommandParser::add(const std::string& name, const std::string& type, const std::string& help,
                                 const AnySetter& set, bool has_commas) {
  CLI::Option* const option =
      std::visit([&](const auto& given) { return add_option(app_, name, help, given, has_commas); }, set);
  option->type_name(type);
  if (!option->get_positional()) {
    // A word after "--batch 32" is another argument, not a second batch size.
    option->allow_extra_args(false);
    // The last one counts: --resume lays the present words over those of the journal.
    if (option->get_items_expected_max() == 1) option->take_last();
  }
  return {*option, line_};
}

void CommandParser::flag(const std::string& name, const std::string& help, bool& value) {
  app_.add_flag(name, value, help);
}

void CommandParser::hide(const std::vector<std::string>& names) {
  for (const std::string& name : names) app_.get_option(name)->group("");
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

void CommandParser::on_parsed(Command command) {
  // The parser comes to the innermost one first.
  app_.callback([&line = line_, command = std::move(command)] {
    if (!line.command) line.command = command;
  });
}

}  // namespace gpubench
