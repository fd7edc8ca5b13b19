#pragma once
// A subcommand: its options, its help, what it does. Each is a file in src/app/commands without a header; see
// CONTRIBUTING.md.

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/core/error.h"

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

/// What is found out about a command line while it is parsed.
struct CommandLine {
  std::vector<std::string> arguments;                ///< All words after the program's name.
  bool is_continued = false;                         ///< Whether the first of them are those of a former run.
  Command command;                                   ///< What they ask for.
  std::shared_ptr<TrainOptions> training;            ///< Of the program itself, which `suite` shares.
  std::map<const CLI::Option*, KnownNames> offered;  ///< Names for completion.
};

/// An option that was added, to say more of it.
class CommandOption {
 public:
  CommandOption(CLI::Option& option, CommandLine& line) : option_(option), line_(line) {}
  const CommandOption& required() const;
  const CommandOption& environment(const std::string& variable) const;  ///< Where else its value may be.
  const CommandOption& offers(KnownNames names) const;

 private:
  CLI::Option& option_;
  CommandLine& line_;
};

/// Called with the value of an option.
template <class T>
using Setter = std::function<void(const T&)>;
using AnySetter = std::variant<Setter<std::string>, Setter<int>, Setter<std::int64_t>, Setter<double>,
                               Setter<std::vector<std::string>>, Setter<std::vector<std::int64_t>>>;

/// The parser of one subcommand, or of the program itself. Its options are "--threads" or "-o,--output", or
/// operands, whose names have no dash; of an option with one value that is given twice the last one counts.
/// `type` is what help calls a value. What they write to must live as
/// long as the parser: share it with what on_parsed() is given.
class CommandParser {
 public:
  CommandParser(CLI::App& app, CommandLine& line) : app_(app), line_(line) {}

  /// Writes to `value`. A vector takes an option that is repeated, or all operands that follow.
  template <class T>
  CommandOption option(const std::string& name, const std::string& type, const std::string& help, T& value) {
    return add(name, type, help, Setter<T>([&value](const T& given) { value = given; }));
  }
  template <class T>
  CommandOption option(const std::string& name, const std::string& type, const std::string& help,
                       std::optional<T>& value) {
    return add(name, type, help, Setter<T>([&value](const T& given) { value = given; }));
  }
  /// Values with commas between them.
  template <class T>
  CommandOption list(const std::string& name, const std::string& type, const std::string& help,
                     std::vector<T>& values) {
    const auto set = [&values](const std::vector<T>& given) { values = given; };
    return add(name, type, help, Setter<std::vector<T>>(set), /*has_commas=*/true);
  }
  /// The same for what else is to be done with a value.
  CommandOption add(const std::string& name, const std::string& type, const std::string& help,
                    const AnySetter& set, bool has_commas = false);
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
