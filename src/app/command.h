#pragma once
// Contract of a command: options, help and action. One file each in src/app/commands; see CONTRIBUTING.md.

#include <concepts>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/core/error.h"
#include "gpubench/core/units.h"
#include "gpubench/record/names.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace gpubench {

struct WorkloadEntry;  // gpubench/record/workload.h

/// Parsed command line, ready to run. Prints data to stdout and messages to stderr. Throws an Error.
using Command = std::function<ExitCode()>;

/// Returns the values that an option accepts, for completion.
using KnownNames = std::function<std::vector<std::string>()>;

struct CommandLine {
  std::vector<std::string> arguments;                ///< All words after the program's name.
  bool is_continued = false;                         ///< `arguments` begin with those of a run to resume.
  bool shows_all = false;                            ///< Help includes hidden options (--help-all).
  Command command;                                   ///< The command to run.
  std::map<const CLI::Option*, KnownNames> offered;  ///< Names for completion.
};

class CommandOption {
 public:
  CommandOption(CLI::Option& option, CommandLine& line) : option_(option), line_(line) {}
  const CommandOption& required() const;
  const CommandOption& offers(KnownNames names) const;

 private:
  CLI::Option& option_;
  CommandLine& line_;
};

/// Returns the longest name of an option, for messages: "--output" of "-o,--output".
std::string longest_name(const std::string& names);

// Parse the value `word` of the option `names`, "-o,--output". Throw a usage Error that names the option.
void read_word(const std::string& names, const std::string& word, std::string& value);
void read_word(const std::string& names, const std::string& word, Seconds& value);
std::int64_t read_whole(const std::string& names, const std::string& word, std::int64_t least,
                        std::int64_t most);
template <std::integral Whole>
void read_word(const std::string& names, const std::string& word, Whole& value) {
  using Limits = std::numeric_limits<Whole>;
  value = static_cast<Whole>(read_whole(names, word, Limits::min(), Limits::max()));
}
template <class Enum>
requires requires(Enum value) { enum_names(value); }
void read_word(const std::string& names, const std::string& word, Enum& value) {
  const EnumNames<Enum> known = enum_names(Enum{});
  const std::optional<Enum> found = known.find(word);
  if (!found) throw_unknown_name(longest_name(names), known.kind, word, known.all());
  value = *found;
}
template <class T>
void read_word(const std::string& names, const std::string& word, std::optional<T>& value) {
  read_word(names, word, value.emplace());
}

/// Parser of one command. Options have names like "-o,--output"; operands have no dash. If an option is
/// repeated, its last value counts. `type` stands for the value in the help. Values must outlive the parser:
/// share them with on_parsed().
class CommandParser {
 public:
  CommandParser(CLI::App& app, CommandLine& line) : app_(app), line_(line) {}

  template <class T>
  CommandOption option(const std::string& name, const std::string& type, const std::string& help, T& value) {
    return add(name, type, help, [name, &value](const std::string& word) { read_word(name, word, value); });
  }
  /// Adds an option that may be repeated, or an operand that takes all remaining words.
  CommandOption option(const std::string& name, const std::string& type, const std::string& help,
                       std::vector<std::string>& values);
  /// Adds an option with a comma-separated list.
  template <class T>
  CommandOption list(const std::string& name, const std::string& type, const std::string& help,
                     std::vector<T>& values) {
    return add_list(name, type, help, [name, &values](const std::vector<std::string>& words) {
      values.clear();
      for (const std::string& word : words) read_word(name, word, values.emplace_back());
    });
  }
  /// Adds an option whose value `set` parses.
  CommandOption add(const std::string& name, const std::string& type, const std::string& help,
                    const std::function<void(const std::string& word)>& set);
  /// Adds an option with a comma-separated list that `set` parses.
  CommandOption add_list(const std::string& name, const std::string& type, const std::string& help,
                         const std::function<void(const std::vector<std::string>& words)>& set);
  void flag(const std::string& name, const std::string& help, bool& value);
  /// Adds an option with an optional value; without a value `set` gets "".
  void add_optional(const std::string& name, const std::string& type, const std::string& help,
                    const std::function<void(const std::string& word)>& set);
  /// Adds an option that takes a value only as "--profile=DIR"; without a value `set` gets "true".
  void add_flag(const std::string& name, const std::string& type, const std::string& help,
                const std::function<void(const std::string& word)>& set);

  /// Puts options under a heading of the help.
  void group(const std::vector<std::string>& names, const std::string& heading);
  /// Hides options from --help; --help-all shows them.
  void hide(const std::vector<std::string>& names);
  void remove(const std::vector<std::string>& names);
  void describe(const std::string& name, const std::string& help);
  /// Appends a text to the help of this command and of subcommands that are added later.
  void footer(const std::string& text);

  /// Adds a subcommand, such as "fetch" of `gpubench data fetch`.
  CommandParser subcommand(const std::string& name, const std::string& summary);
  /// Makes a command line without a subcommand a usage Error.
  void require_subcommand(const std::string& message);

  /// Sets the action, which runs unless the command line names a subcommand. If it returns void, it succeeds
  /// unless it throws.
  template <class Run>
  void on_parsed(Run run) {
    if constexpr (std::is_void_v<std::invoke_result_t<Run>>) {
      set_command([run = std::move(run)] {
        run();
        return ExitCode::kOk;
      });
    } else {
      set_command(std::move(run));
    }
  }

  const CommandLine& line() const { return line_; }
  const std::string& name() const;

 private:
  CommandOption finish(CLI::Option& option, const std::string& type);
  void set_command(Command command);

  CLI::App& app_;
  CommandLine& line_;
};

struct CommandEntry {
  std::string name;     ///< "show"
  std::string summary;  ///< One line for `gpubench --help`.
  /// Adds the options and sets the action. Null for an internal command.
  void (*add_options)(CommandParser& parser) = nullptr;
  /// Runs an internal command with the words after its name. It has no help.
  ExitCode (*run)(const std::vector<std::string>& words) = nullptr;
};

/// Returns the commands of src/app/commands/catalog.def.
const Catalog<CommandEntry>& other_commands();

/// Returns the command of a workload, with the options of a training.
CommandEntry workload_command(const WorkloadEntry& workload);

/// Returns a command for each workload, then the others.
const Catalog<CommandEntry>& commands();

}  // namespace gpubench
