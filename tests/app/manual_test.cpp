#include "app/manual.h"

#include <algorithm>

#include "app/command_line.h"
#include "support/catch.h"

using namespace gpubench;
using gpubench::test::contains_text;

namespace {

std::string page(const std::string& name) {
  const std::vector<ManualPage> pages = manual_pages({"timing"});
  const auto found = std::ranges::find(pages, name, &ManualPage::name);
  return found == pages.end() ? "no such page" : found->text;
}

}  // namespace

TEST_CASE("every subcommand for people has a manual page that tells its options") {
  for (const CommandEntry& entry : commands()) {
    const bool is_for_people = entry.kind == CommandKind::kListed || entry.kind == CommandKind::kUnlisted;
    const std::string text = page("gpubench-" + entry.name + ".1");
    CHECK((text != "no such page") == is_for_people);
    if (!is_for_people) continue;
    CHECK_THAT(text, contains_text(".Nm gpubench-" + entry.name + "\n"));
    for (const std::string& candidate : completions({entry.name, "--"}))
      CHECK_THAT(text, contains_text("Fl \\-" + candidate.substr(2)));
  }
}

TEST_CASE("the page of the program has all of its options, its commands and the pages to read") {
  const std::string text = page("gpubench.1");
  for (const std::string& option : completions({"--"}))
    CHECK_THAT(text, contains_text("Fl \\-" + option.substr(2)));
  CHECK_THAT(text, contains_text(".It Fl o , Fl \\-output Ar PATH\n"));
  CHECK_THAT(text, contains_text(".It Xr gpubench-compare 1\n"));
  CHECK_THAT(text, contains_text(".Xr gpubench-timing 7\n"));
  CHECK_THAT(text, contains_text(".Sh EXIT STATUS\n"));
}

TEST_CASE("a page tells of the commands below its own, with their operands") {
  const std::string text = page("gpubench-data.1");
  CHECK_THAT(text, contains_text(".Ss gpubench data fetch\n"));
  CHECK_THAT(text, contains_text(".Op Ar NAME ...\n"));
  CHECK_THAT(text, contains_text(".Sh EXAMPLES\n"));
  CHECK_THAT(text, contains_text("\ngpubench data verify\n"));
}
