#include "app/command.h"

#include <CLI/CLI.hpp>

namespace gpubench {

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
  CLI::Option* const option = std::visit(
      [&]<class T>(const Setter<T>& given) { return app_.add_option_function<T>(name, given, help); }, set);
  option->type_name(type);
  if (has_commas) option->delimiter(',');
  // A word after "--batch 32" is another argument, not a second batch size.
  if (!option->get_positional()) option->allow_extra_args(false);
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

void CommandParser::repeatable() {
  for (CLI::Option* option : app_.get_options([](const CLI::Option*) { return true; })) {
    if (option->get_items_expected_max() == 1) option->take_last();
  }
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
