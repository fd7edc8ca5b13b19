#include "app/command_line.h"

#include <CLI/CLI.hpp>

#include "compare/published.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

constexpr const char* kDescription =
    "gpubench measures neural-network training speed and energy on CPUs and GPUs.\n"
    "It trains real networks on real data and times whole epochs.";

constexpr const char* kFooter =
    "Examples:\n"
    "  gpubench suite quick\n"
    "  gpubench --model mlp,cnn --device cpu,cuda --batch 32,128\n"
    "Options of a command: gpubench COMMAND --help or --help-all; docs: gpubench help\n"
    "Exit codes: 0 ok, 1 internal error, 2 usage, 3 data, 4 device, 5 a case failed,\n"
    "6 regression, 7 inconclusive, 8 incomparable (with --gate), 130 interrupted";

constexpr const char* kDefaultCommand = "train";

constexpr const char* kVersion = "gpubench " GPUBENCH_VERSION
                                 "\n"
                                 "commit    " GPUBENCH_GIT_COMMIT
                                 "\n"
                                 "LibTorch  " GPUBENCH_TORCH_VERSION " (" GPUBENCH_TORCH_FLAVOR
                                 ")\n"
                                 "built by  " GPUBENCH_COMPILER;

/// Omits the types, ranges and environment variables that CLI11 would append.
class PlainFormatter : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string type = option->get_type_name();
    if (type.starts_with("[=")) return type;
    return option->get_type_size() == 0 ? "" : " " + type;
  }

  std::string make_usage(const CLI::App* app, std::string name) const override {
    if (app->get_parent() == nullptr) return "\nUsage: gpubench [COMMAND] [OPTIONS]\n";
    return "\n" + CLI::Formatter::make_usage(app, std::move(name));
  }

  /// Removes the empty lines that CLI11 prints for the group of hidden options.
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    if (app->get_parent() == nullptr) text.insert(text.find("\nSubcommands:"), make_default_groups(*app));
    for (auto gap = text.find("\n\n\n"); gap != std::string::npos; gap = text.find("\n\n\n"))
      text.erase(gap, 1);
    return text;
  }

 private:
  /// Returns the options of the default command, which the program also accepts without it.
  std::string make_default_groups(const CLI::App& program) const {
    std::string text;
    const CLI::App* const train = program.get_subcommand(kDefaultCommand);
    for (const std::string& group : train->get_groups()) {
      const auto is_in_group = [&](const CLI::Option* option) { return option->get_group() == group; };
      if (!group.empty() && group != "Options")
        text += make_group(group, false, train->get_options(is_in_group));
    }
    return text;
  }
};

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

std::vector<std::string> subcommand_names(const CLI::App& command) {
  // Without a filter, CLI11 returns only parsed subcommands.
  return mapped(command.get_subcommands([](const CLI::App*) { return true; }), &CLI::App::get_name);
}

/// Returns the words that lead to `app`: "gpubench data fetch".
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

/// Parser of the whole command line, with its result. Not copyable: CLI11 keeps pointers into it.
class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments, bool is_continued = false) {
    line_.arguments = arguments;
    line_.shows_all = std::erase(line_.arguments, "--help-all") > 0;
    if (line_.shows_all) line_.arguments.emplace_back("--help");
    line_.is_continued = is_continued;
    app_.footer(kFooter);
    app_.set_help_flag("-h,--help", "Print this help");
    app_.set_version_flag("--version", kVersion, "Print the versions of gpubench and LibTorch");
    app_.require_subcommand(0, 1);
    const auto formatter = std::make_shared<PlainFormatter>();
    formatter->column_width(26);
    app_.formatter(formatter);
    for (const CommandEntry& entry : commands()) {
      if (entry.add_options == nullptr) continue;
      CommandParser parser(*app_.add_subcommand(entry.name, entry.summary), line_);
      entry.add_options(parser);
    }
  }

  /// Throws a usage Error, and CLI11's own exceptions for help and version.
  void parse() {
    // CLI11 reads the words from the back.
    std::vector<std::string> reversed(line_.arguments.rbegin(), line_.arguments.rend());
    if (!names_command(line_.arguments)) reversed.emplace_back(kDefaultCommand);
    try {
      app_.parse(std::move(reversed));
    } catch (const CLI::Success&) {
      // A misspelt command is reported even with --help.
      refuse_extras(/*has_options=*/false);
      throw;
    } catch (const CLI::ExtrasError&) {
      // Reported below, with the nearest known word.
    } catch (const CLI::ParseError& error) {
      throw Error(ErrorKind::kUsage, "{}; see '{} --help'", error.what(), full_name(innermost()));
    }
    refuse_extras(/*has_options=*/true);
  }

  /// Parses words that must not ask for help or the version.
  void parse_options() {
    try {
      parse();
    } catch (const CLI::Success&) {
      throw Error(ErrorKind::kUsage, "--help, --version: must stand alone; run 'gpubench --help'");
    }
  }

  /// Returns true for "suite quick" and "--version", false for "--model cnn".
  bool names_command(const std::vector<std::string>& words) const {
    if (words.empty()) return false;
    return !words.front().starts_with("-") || app_.get_option_no_throw(words.front()) != nullptr;
  }

  CLI::App& app() { return app_; }
  CommandLine& line() { return line_; }
  const CLI::App& innermost() const {
    const CLI::App* app = &app_;
    while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
    return *app;
  }

 private:
  /// Throws for the first word that no option or subcommand took.
  void refuse_extras(bool has_options) const {
    std::vector<std::string> extras = app_.remaining(/*recurse=*/true);
    if (!has_options) std::erase_if(extras, [](const std::string& word) { return word.starts_with("-"); });
    if (extras.empty()) return;
    const CLI::App& command = innermost();
    const std::string word = extras.front().substr(0, extras.front().find('='));
    const bool is_option = word.starts_with("-");
    const bool is_late = !names_command(line_.arguments) && commands().find(word) != nullptr;
    require(!is_late, "argument '{}': is a command; put it before the options", word);
    const auto nearest = nearest_name(word, is_option ? option_names(command) : subcommand_names(command));
    const char* const kind = is_option ? "option" : &command == &app_ ? "command" : "argument";
    throw Error(ErrorKind::kUsage, "unknown {} '{}'{} see '{} --help'", kind, word,
                nearest ? "; did you mean '" + *nearest + "'?" : ";", full_name(command));
  }

  CommandLine line_;
  CLI::App app_{kDescription, "gpubench"};
};

std::vector<std::string> candidates_for(const CommandLine& line, const CLI::App& command,
                                        const std::string& previous, const std::string& word) {
  const auto list_names = [&](const CLI::Option* option) {
    const auto found = line.offered.find(option);
    return found == line.offered.end() ? std::vector<std::string>() : found->second();
  };
  const CLI::Option* const option =
      previous.starts_with("-") ? command.get_option_no_throw(previous) : nullptr;
  // A number or a path has no candidates, so that the shell offers files.
  if (option != nullptr && option->get_items_expected_min() > 0) {
    // "mlp,c" becomes "mlp,cnn": the part before the last comma stays.
    const std::string kept = word.substr(0, word.rfind(',') + 1);
    return mapped(list_names(option), [&](const std::string& name) { return kept + name; });
  }
  if (word.starts_with("-")) return option_names(command);
  std::vector<std::string> candidates = subcommand_names(command);
  for (const CLI::Option* operand : command.get_options()) {
    if (operand->get_positional()) append(candidates, list_names(operand));
  }
  return candidates;
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return parse_command_line({"--help"});
  const CommandEntry* const entry = commands().find(arguments.front());
  if (entry != nullptr && entry->run != nullptr) {
    return [run = entry->run, words = std::vector(arguments.begin() + 1, arguments.end())] {
      return run(words);
    };
  }
  Parser parser(arguments);
  std::string text;
  try {
    parser.parse();
    return parser.line().command;
  } catch (const CLI::CallForHelp&) {
    text = parser.app().help();
  } catch (const CLI::CallForVersion& version) {
    text = std::string(version.what()) + "\n";
  }
  return [text] {
    print(text);
    return ExitCode::kOk;
  };
}

Command parse_continued(const std::vector<std::string>& former, const std::vector<std::string>& now) {
  std::vector<std::string> words = former;
  // The last one counts if an option is given twice.
  words.insert(words.end(), now.begin() + (now.front().starts_with("-") ? 0 : 1), now.end());
  Parser parser(words, /*is_continued=*/true);
  parser.parse_options();
  return parser.line().command;
}

NamedOptions named_options(const std::vector<std::string>& arguments) {
  Parser parser(arguments);
  parser.parse_options();
  NamedOptions options;
  for (const CLI::Option* option : parser.innermost().parse_order()) {
    NamedOption named{"--" + std::ranges::max(option->get_lnames(), {}, &std::string::size), {}};
    const int most = option->get_items_expected_max();
    if (most > 1) named.values = option->results();
    if (most == 1) named.values = {option->results().back()};
    if (most == 0 && option->results().back() != "true") named.name += "=" + option->results().back();
    add_once(options, named);
  }
  return options;
}

std::vector<std::string> completions(const std::vector<std::string>& words) {
  Parser parser({});
  const bool has_command = words.empty() || !words.front().starts_with("-");
  const CLI::App* command = has_command ? &parser.app() : parser.app().get_subcommand(kDefaultCommand);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const auto found = command->get_subcommands([&](const CLI::App* c) { return c->check_name(words[i]); });
    if (!found.empty()) command = found.front();
  }
  const std::string word = words.empty() ? "" : words.back();
  const std::string previous = words.size() < 2 ? "" : words[words.size() - 2];
  std::vector<std::string> candidates = candidates_for(parser.line(), *command, previous, word);
  if (words.size() == 1 && !has_command) candidates.emplace_back("--version");
  // A shell offers files only without candidates, so published figures appear after their colon.
  const bool has_prefix = word.starts_with(kPublished);
  std::erase_if(candidates, [&](const std::string& candidate) {
    return !candidate.starts_with(word) || (!has_prefix && candidate.starts_with(kPublished));
  });
  return candidates;
}

}  // namespace gpubench
