#include "app/manual.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include "gpubench/core/collect.h"
#include "gpubench/core/nearest.h"
#include "gpubench_version.h"

namespace gpubench {
namespace {

const auto kAny = [](const auto*) { return true; };

constexpr const char* kExitStatus = R"(.Sh EXIT STATUS
.Bl -tag -width 130 -compact
.It 0
All is well.
.It 1
A fault of gpubench itself; please report it.
.It 2
An option, an argument or an output that cannot be written.
.It 3
A dataset or a result file that cannot be read.
.It 4
A device that is absent or does not answer.
.It 5
Everything ran, and at least one case did not end as
.Cm ok .
.It 6 , 7 , 8
Of
.Fl \-gate
alone: a regression, an inconclusive comparison, or none that is possible.
.It 130
Interrupted; what was measured is in the result.
.El
)";

constexpr const char* kEnvironment = R"(.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev GPUBENCH_DATA_DIR
Where datasets are, unless
.Fl \-data-dir
says otherwise.
.It Ev GPUBENCH_TORCH
A LibTorch, the folder that holds its include/ and lib/, to use in place of the one that
.Cm gpubench setup
fetches.
.It Ev GPUBENCH_ENGINE
A library to load in place of gpubench's own part that links LibTorch.
.It Ev PIP_INDEX_URL
Where
.Cm gpubench setup
fetches packages, unless
.Fl \-from
says otherwise.
.It Ev XDG_CACHE_HOME
What gpubench fetches and keeps is in the folder gpubench below it;
.Pa ~/.cache
by default.
.El
)";

/// As a text line of roff: no macro, and no escape.
std::string text_line(const std::string& text) {
  std::string line;
  if (text.starts_with('.') || text.starts_with('\'')) line = "\\&";
  for (const char c : text) line += c == '\\' ? std::string("\\e") : std::string(1, c);
  return line + "\n";
}

/// As arguments of a macro: a word that is called like one is none.
std::string arguments(const std::string& text) {
  std::istringstream words(text);
  std::string line;
  for (std::string word; words >> word;) {
    const bool may_be_macro = word.size() <= 3 && std::isupper(static_cast<unsigned char>(word.front())) != 0;
    line += (line.empty() ? "" : " ") + std::string(may_be_macro ? "\\&" : "") + word;
  }
  std::string escaped;
  for (const char c : line) escaped += c == '"' ? std::string("\\(dq") : std::string(1, c);
  return escaped;
}

/// "gpubench data fetch".
std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

/// "gpubench-data": the page of the whole subcommand.
std::string page_name(const CLI::App& app) {
  std::string name = full_name(app);
  std::ranges::replace(name, ' ', '-');
  return name;
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string operand_of(const CLI::Option& option) { return " Ar " + arguments(option.get_type_name()); }

/// "Fl o , Fl \-output Ar FILE".
std::string names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("Fl " + name);
  for (const std::string& name : option.get_lnames()) names.push_back("Fl \\-" + name);
  return join(names, " , ") + (takes_value(option) ? operand_of(option) : "");
}

/// Each sentence on a line of its own, as formatters want it.
std::string paragraph(const std::string& text) {
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t end = text.find(". "); end != std::string::npos; end = text.find(". ", begin)) {
    lines += text_line(text.substr(begin, end + 1 - begin));
    begin = end + 2;
  }
  const std::string last = text.substr(begin);
  return lines + (last.empty() ? "" : text_line(last + (last.ends_with('.') ? "" : ".")));
}

std::string options_section(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options(kAny)) {
    const std::string names = option->get_positional() ? operand_of(*option).substr(1) : names_of(*option);
    text += ".It " + names + "\n" + paragraph(option->get_description());
  }
  return text.empty() ? "" : ".Bl -tag -width Ds\n" + text + ".El\n";
}

std::string synopsis(const CLI::App& app) {
  std::string text = ".Nm " + full_name(app) + "\n";
  if (app.get_parent() == nullptr) text += ".Op Ar COMMAND\n";
  text += ".Op Ar OPTIONS\n";
  for (const CLI::Option* option : app.get_options(kAny)) {
    if (option->get_positional())
      text += "." + std::string(option->get_required() ? "" : "Op ") + operand_of(*option).substr(1) + "\n";
  }
  for (const CLI::App* inner : app.get_parent() ? app.get_subcommands(kAny) : std::vector<const CLI::App*>())
    text += synopsis(*inner);
  return text;
}

std::string inner_section(const CLI::App& app) {
  std::string title = full_name(app);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ".Ss " + title + "\n" + paragraph(app.get_description()) + options_section(app);
}

/// Lines of a footer that are commands, and those that are words.
std::string footer_sections(const std::string& footer) {
  std::string examples;
  std::string notes;
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  "))
      examples += text_line(line.substr(2));
    else if (!line.starts_with("Example"))
      notes += ".Pp\n" + paragraph(line);
  }
  if (notes.starts_with(".Pp\n")) notes.erase(0, 4);
  return (examples.empty() ? "" : ".Sh EXAMPLES\n.Bd -literal -offset indent\n" + examples + ".Ed\n") +
         (notes.empty() ? "" : ".Sh NOTES\n" + notes);
}

std::string commands_section(const CLI::App& program) {
  std::string text = ".Sh COMMANDS\n.Bl -tag -width Ds\n";
  for (const CLI::App* app : program.get_subcommands(kAny))
    text += ".It Xr " + page_name(*app) + " 1\n" + paragraph(app->get_description());
  return text + ".El\n";
}

std::string see_also(const CLI::App& app, const std::vector<std::string>& topics) {
  std::vector<std::string> pages;
  if (app.get_parent())
    pages.push_back(".Xr gpubench 1");
  else
    for (const CLI::App* inner : app.get_subcommands(kAny))
      pages.push_back(".Xr " + page_name(*inner) + " 1");
  std::ranges::sort(pages);
  std::vector<std::string> others =
      mapped(topics, [](const std::string& topic) { return ".Xr gpubench-" + topic + " 7"; });
  std::ranges::sort(others);
  append(pages, others);
  return ".Sh SEE ALSO\n" + join(pages, " ,\n") + "\n";
}

std::string head(const CLI::App& app, const std::string& summary) {
  std::string title = page_name(app);
  std::ranges::transform(title, title.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return fmt::format(".Dd {}\n.Dt {} 1\n.Os gpubench {}\n.Sh NAME\n.Nm {}\n.Nd {}\n.Sh SYNOPSIS\n{}",
                     GPUBENCH_DATE, title, GPUBENCH_VERSION, page_name(app), arguments(summary),
                     synopsis(app));
}

std::string description(const CLI::App& app) {
  std::string text = ".Sh DESCRIPTION\n" + paragraph(app.get_description()) + options_section(app);
  if (app.get_parent() == nullptr) return text + commands_section(app);
  for (const CLI::App* inner : app.get_subcommands(kAny)) text += inner_section(*inner);
  return text;
}

ManualPage page(const CLI::App& app, const std::vector<std::string>& topics) {
  const bool is_program = app.get_parent() == nullptr;
  const std::string summary =
      is_program ? "how fast this machine trains neural networks" : app.get_description();
  return {page_name(app) + ".1", head(app, summary) + description(app) + (is_program ? kEnvironment : "") +
                                     kExitStatus + footer_sections(app.get_footer()) + see_also(app, topics)};
}

}  // namespace

std::vector<ManualPage> manual_pages(const CLI::App& program, const std::vector<std::string>& topics) {
  std::vector<ManualPage> pages{page(program, topics)};
  for (const CLI::App* app : program.get_subcommands(kAny)) pages.push_back(page(*app, {}));
  return pages;
}

}  // namespace gpubench
