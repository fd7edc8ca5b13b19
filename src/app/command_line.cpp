#include "app/command_line.h"

#include "app/cli.h"
#include "app/commands.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"

namespace gpubench {
namespace {

/// The subcommand that was parsed last, or the program itself.
const CLI::App& innermost(const CLI::App& app) {
  const auto parsed = app.get_subcommands();
  return parsed.empty() ? app : innermost(*parsed.back());
}

/// "gpubench data fetch": the words that lead to `app`.
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

/// Throws for the first word that no option or subcommand took.
void refuse_extras(const CLI::App& app) {
  const std::vector<std::string> extras = app.remaining(/*recurse=*/true);
  if (extras.empty()) return;
  const CLI::App& command = innermost(app);
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const bool is_option = word.starts_with("-");
  const std::vector<std::string> known = is_option ? option_names(command) : subcommand_names(command);
  std::string message = std::string("unknown ") + (is_option ? "option" : "argument") + " '" + word + "'";
  if (const auto nearest = nearest_name(word, known)) message += "; did you mean '" + *nearest + "'?";
  throw Error(ErrorKind::kUsage, message + " see '" + full_name(command) + " --help'");
}

/// Throws a usage Error, and CLI11's own exceptions for help and version.
void parse(Cli& cli, const std::vector<std::string>& arguments) {
  // CLI11 takes the words from the back.
  std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
  try {
    cli.app().parse(std::move(reversed));
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw Error(ErrorKind::kUsage, std::string(error.what()) + "; see 'gpubench --help'");
  }
  refuse_extras(cli.app());
}

Command print(const std::string& text) {
  return [text] {
    print_out(text);
    return ExitCode::kOk;
  };
}

}  // namespace

Command parse_command_line(const std::vector<std::string>& arguments) {
  // Not subcommands of the parser: the words of another command line are no arguments, and no person starts a
  // worker.
  if (!arguments.empty() && arguments.front() == "worker") {
    return [words = std::vector(arguments.begin() + 1, arguments.end())] { return run_worker(words); };
  }
  if (!arguments.empty() && arguments.front() == "complete") {
    const auto candidates = completions({arguments.begin() + 1, arguments.end()});
    return print(join(candidates, "\n") + (candidates.empty() ? "" : "\n"));
  }
  Cli cli;
  try {
    parse(cli, arguments);
  } catch (const CLI::CallForHelp&) {
    return print(cli.app().help());
  } catch (const CLI::CallForVersion& version) {
    return print(std::string(version.what()) + "\n");
  }
  return cli.command(arguments);
}

TrainOptions parse_over(const PlanOptions& base, const std::vector<std::string>& arguments) {
  Cli cli(base);
  parse(cli, arguments);
  return cli.training();
}

}  // namespace gpubench
