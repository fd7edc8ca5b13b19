#pragma once
// A subcommand: its options, its help, what it does. Each is a file in src/app/commands without a header; see
// CONTRIBUTING.md.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
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

struct TrainOptions;

/// A parsed command line, ready to run. Prints its data to stdout and all else to stderr, and throws an Error
/// for what ends it.
using Command = std::function<ExitCode()>;

/// The names that an option can have, asked for when the shell completes one.
using KnownNames = std::function<std::vector<std::string>()>;

/// A command line, as far as it is parsed.
struct CommandLine {
  std::vector<std::string> arguments;                ///< All words after the program's name.
  bool is_continued = false;                         ///< The first of them are those of a former run.
  Command command;                                   ///< What they ask for.
  std::shared_ptr<TrainOptions> training;            ///< Of the program itself, which `suite` shares.
  std::map<const CLI::Option*, KnownNames> offered;  ///< Names for completion.
};

/// An option that was added, for further settings.
class CommandOption {
 public:
  CommandOption(CLI::Option& option, CommandLine& line) : option_(option), line_(line) {}
  const CommandOption& required() const;
  const CommandOption& environment(const std::string& variable) const;  ///< Variable with its value.
  const CommandOption& offers(KnownNames names) const;

 private:
  CLI::Option& option_;
  CommandLine& line_;
};

/// Returns the longest name of an option, for messages: "--output" of "-o,--output".
std::string longest_name(const std::string& names);

// Read the word of the option with these names. Throw a usage Error that begins with the longest of them.
void read_word(const std::string& names, const std::string& word, std::string& value);
void read_word(const std::string& names, const std::string& word, int& value);
void read_word(const std::string& names, const std::string& word, std::int64_t& value);
void read_word(const std::string& names, const std::string& word, double& value);
void read_word(const std::string& names, const std::string& word, Seconds& value);
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

/// The parser of one subcommand, or of the program itself. Its options are "--threads" or "-o,--output", or
/// operands, whose names have no dash; of an option with one value that is given twice the last one counts.
/// `type` is what help calls a value. What they write to must live as
/// long as the parser: share it with what on_parsed() is given.
class CommandParser {
 public:
  CommandParser(CLI::App& app, CommandLine& line) : app_(app), line_(line) {}

  template <class T>
  CommandOption option(const std::string& name, const std::string& type, const std::string& help, T& value) {
    return add(name, type, help, [name, &value](const std::string& word) { read_word(name, word, value); });
  }
  /// An option that is repeated, or all operands that follow.
  CommandOption option(const std::string& name, const std::string& type, const std::string& help,
                       std::vector<std::string>& values);
  /// Values with commas between them.
  template <class T>
  CommandOption list(const std::string& name, const std::string& type, const std::string& help,
                     std::vector<T>& values) {
    return add_list(name, type, help, [name, &values](const std::vector<std::string>& words) {
      values.clear();
      for (const std::string& word : words) read_word(name, word, values.emplace_back());
    });
  }
  /// An option whose word `set` reads.
  CommandOption add(const std::string& name, const std::string& type, const std::string& help,
                    const std::function<void(const std::string& word)>& set);
  /// A list of values with or without commas between them, which `set` reads.
  CommandOption add_list(const std::string& name, const std::string& type, const std::string& help,
                         const std::function<void(const std::vector<std::string>& words)>& set,
                         bool has_commas = true);
  void flag(const std::string& name, const std::string& help, bool& value);

  /// Leaves options out of the help, which has room for what most people need.
  void hide(const std::vector<std::string>& names);
  /// Another help text for an option that was added with others.
  void describe(const std::string& name, const std::string& help);
  /// Text at the end of the help: examples, exit codes. Subcommands that are added later have it too.
  void footer(const std::string& text);

  /// "fetch" of `gpubench data fetch`.
  CommandParser subcommand(const std::string& name, const std::string& summary);
  /// Makes the parser throw a usage Error of this text where none of them is named.
  void require_subcommand(const std::string& message);

  /// `command` is run where this subcommand is named, and none of its own.
  void on_parsed(Command command);

  CommandLine& line() { return line_; }

 private:
  CommandOption finish(CLI::Option& option, const std::string& type);

  CLI::App& app_;
  CommandLine& line_;
};

enum class CommandKind {
  kListed,    ///< A subcommand in the list that `gpubench --help` has.
  kUnlisted,  ///< One that this list leaves out; its own help is there all the same.
  kProgram,   ///< Not a subcommand: what the program does where none is named.
  kInternal,  ///< Called by programs alone: it takes the words after its name as they are, and has no help.
};

struct CommandEntry {
  std::string name;
  std::string summary;  ///< One line for help.
  CommandKind kind = CommandKind::kListed;
  void (*add_options)(CommandParser& parser) = nullptr;  ///< Also says what is done; null where internal.
  ExitCode (*run)(const std::vector<std::string>& words) = nullptr;  ///< Where internal.
};

/// All of them, in the order of src/app/commands/catalog.def.
const Catalog<CommandEntry>& commands();

}  // namespace gpubench
