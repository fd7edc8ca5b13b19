#include <span>

#include "app/command.h"
#include "app/command_line.h"
#include "gpubench/core/embedded_text.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/nearest.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench {
/// Returns the pages of docs/ in Markdown, sorted by name. The first line is "# Title".
std::span<const EmbeddedText> docs_texts();
}  // namespace gpubench

namespace gpubench::help_plugin {
namespace {

std::vector<std::string> topics() {
  std::vector<std::string> names;
  for (const CommandEntry& entry : commands()) {
    if (entry.add_options != nullptr) names.push_back(entry.name);
  }
  for (const EmbeddedText& page : docs_texts()) names.emplace_back(page.name);
  return names;
}

void list_topics() {
  TextTable table({{"topic"}, {"title"}});
  for (const EmbeddedText& page : docs_texts()) {
    const std::string_view title = page.text.substr(0, page.text.find('\n'));
    table.add_row({std::string(page.name), std::string(title.substr(title.find(' ') + 1))});
  }
  print(table.to_string(output_width()));
  print(
      "\nTo print a page: gpubench help TOPIC\n"
      "Options of a command: gpubench COMMAND --help\n"
      "List of commands: gpubench --help\n");
}

/// Prints the documentation page, or the help of the command, with that name.
void show(const std::string& topic) {
  const auto page = std::ranges::find(docs_texts(), std::string_view(topic), &EmbeddedText::name);
  if (page != docs_texts().end()) return print(page->text);
  const CommandEntry* const entry = commands().find(topic);
  if (entry == nullptr || entry->add_options == nullptr) throw_unknown_name("help", "topic", topic, topics());
  parse_command_line({topic, "--help"})();
}

void add_options(CommandParser& parser) {
  parser.footer("Examples:\n  gpubench help\n  gpubench help comparing");
  const auto topic = std::make_shared<std::string>();
  parser.option("topic", "TOPIC", "Command or documentation page (default: list them)", *topic)
      .offers(topics);
  parser.on_parsed([topic] { topic->empty() ? list_topics() : show(*topic); });
}

}  // namespace

CommandEntry entry_help() { return {"help", "Show the documentation", add_options}; }

}  // namespace gpubench::help_plugin
