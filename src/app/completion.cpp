#include "app/cli.h"
#include "app/ops_cli.h"
#include "gpubench/power/power_log.h"

namespace gpubench {
namespace {

const CLI::App* find_subcommand(const CLI::App& command, const std::string& name) {
  const auto found = command.get_subcommands([&](const CLI::App* c) { return c->check_name(name); });
  return found.empty() ? nullptr : found.front();
}

/// Walks the finished words down the subcommands.
const CLI::App& command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (const CLI::App* next = find_subcommand(*command, words[i])) command = next;
  }
  return *command;
}

/// "mlp,c" with the names gives "mlp,cnn", ...: the part before the last comma stays.
std::vector<std::string> continued(const std::string& word, const std::vector<std::string>& names) {
  const std::string kept = word.substr(0, word.rfind(',') + 1);
  std::vector<std::string> candidates;
  for (const std::string& name : names) candidates.push_back(kept + name);
  return candidates;
}

bool takes_value(const CLI::App& command, const std::string& word) {
  const CLI::Option* option = word.starts_with("-") ? command.get_option_no_throw(word) : nullptr;
  return option != nullptr && option->get_items_expected_min() > 0;
}

/// Of an option; commands have options of one name, of different things.
std::vector<std::string> values_of(const Cli& cli, const CLI::App& command, const std::string& option) {
  if (command.get_name() == "ops") {
    const std::vector<std::string> values = ops_values_of(option);
    if (!values.empty()) return values;
  }
  if (command.get_name() != "import" || option != "--format") return cli.values_of(option);
  std::vector<std::string> names{"auto"};
  for (const PowerLogFormat& format : power_log_formats()) names.push_back(format.name);
  return names;
}

std::vector<std::string> candidates_for(const Cli& cli, const CLI::App& command, const std::string& previous,
                                        const std::string& word) {
  const std::vector<std::string> values = values_of(cli, command, previous);
  if (!values.empty()) return continued(word, values);
  // A number or a path: no candidates, so that the shell offers files.
  if (takes_value(command, previous)) return {};
  if (word.starts_with("-")) return option_names(command);
  std::vector<std::string> candidates = subcommand_names(command);
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string> names = cli.values_of(option->get_name());
    if (option->get_positional()) candidates.insert(candidates.end(), names.begin(), names.end());
  }
  return candidates;
}

}  // namespace

std::vector<std::string> completions(const std::vector<std::string>& words) {
  Cli cli;
  const std::string word = words.empty() ? "" : words.back();
  const std::string previous = words.size() < 2 ? "" : words[words.size() - 2];
  std::vector<std::string> matching;
  for (const std::string& candidate : candidates_for(cli, command_of(cli.app(), words), previous, word)) {
    if (candidate.starts_with(word)) matching.push_back(candidate);
  }
  return matching;
}

}  // namespace gpubench
