// Malicious texts in every command and format: terminal escapes, direction marks, markup and formulas.

#include <string>
#include <vector>

#include <fmt/format.h>

#include "attack.h"
#include "sample.h"
#include "support/catch.h"
#include "words.h"

namespace gpubench::test::texts_test {

namespace {

/// Sequences that a terminal, a page, a table or a spreadsheet would interpret.
const std::string kEvil =
    "=cmd|'/C calc'!A0 \x1b[31m\x1b]0;t\x07 \r\b\x7f \xc2\x9b"
    "31m \xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f "
    "<script>alert(1)</script><img src=x onerror=alert(1)> \"';--> ]]> | ` [x](javascript:alert(1)) \n# "
    "h\n\t, ; &lt; \\ $(touch pwned) %s {} ";

/// Commands that print text from a document, and must not print its escapes.
const std::vector<std::string> kShows = {
    "show bad.json",          "show --format html bad.json", "show --format csv bad.json",
    "file validate bad.json", "file anonymize bad.json",     "compare bad.json good.json"};

/// Further commands.
const std::vector<std::string> kMoreShows = {"show --format md bad.json",
                                             "show --format tsv bad.json",
                                             "show --format svg bad.json",
                                             "compare --format csv bad.json good.json",
                                             "compare --values runs --format tsv bad.json good.json",
                                             "report bad.json good.json -q -o report.html && cat report.html",
                                             "file import-power bad.json $POWER/nvidia-smi.csv"};

Attack shown_by(const std::string& command, const std::string& what, const std::string& bad,
                const std::string& good) {
  return {what + ", " + command,
          kSoundOrRefused,
          "",
          "gpubench " + command,
          "",
          "report.html",
          {{"bad.json", bad}, {"good.json", good}}};
}

std::vector<std::string> all_shows() {
  std::vector<std::string> commands = kShows;
  commands.insert(commands.end(), kMoreShows.begin(), kMoreShows.end());
  return commands;
}

bool is_text(const Json& value) { return value.is_string(); }

/// Returns documents with the text in one place each, each for another command.
std::vector<Attack> injections(const std::string& document) {
  const std::vector<std::string> commands = all_shows();
  std::vector<Attack> attacks;
  for (const std::string& place : pointers(Json::parse(document), is_text))
    attacks.push_back(
        shown_by(commands[attacks.size() % commands.size()], place, with(document, place, kEvil), document));
  return attacks;
}

/// Returns the document with the text in all places that do not make it unreadable.
std::string everywhere(const std::string& document) {
  Json changed = Json::parse(document);
  for (const std::string& place : pointers(changed, is_text)) {
    if (place.find("schema") == std::string::npos && place.find("sha256") == std::string::npos)
      changed[Json::json_pointer(place)] = kEvil;
  }
  return changed.dump();
}

}  // namespace

TEST_CASE("a malicious text in any field of a document is shown as text", "[texts]") {
  for (const std::string& document : {run_document(), ops_document(), fixture("eventful.json")})
    withstand_some("texts in documents", injections(document));
}

TEST_CASE("a malicious text in all fields of a document is shown as text", "[texts]") {
  std::vector<Attack> attacks;
  for (const std::string& command : all_shows()) {
    attacks.push_back(shown_by(command, "everywhere in a run", everywhere(run_document()), run_document()));
    attacks.push_back(
        shown_by(command, "everywhere in a table of operations", everywhere(ops_document()), ops_document()));
  }
  withstand("texts in documents", attacks);
}

TEST_CASE("malicious names of fields are shown as text", "[texts]") {
  std::vector<Attack> attacks;
  Json changed = Json::parse(run_document());
  changed["results"][0][kEvil] = 1;
  changed[kEvil] = {{kEvil, kEvil}};
  for (const std::string& command : all_shows())
    attacks.push_back(shown_by(command, "names of fields", changed.dump(), run_document()));
  withstand("texts in documents", attacks);
}

TEST_CASE("malicious names of files are shown as text", "[texts]") {
  std::vector<Attack> attacks;
  const std::vector<std::pair<std::string, std::string>> names = {
      {"escapes", "\x1b[31mred\x1b]0;t\x07.json"},
      {"a line feed", "a\ngpubench: ok.json"},
      {"direction marks", "\xe2\x80\xaenosj.json"},
      {"invalid UTF-8", "\xff\xfe.json"},
      {"C1 controls",
       "\xc2\x9b"
       "31m.json"},
      {"markup", "<script>alert(1)<.json"},
      {"a formula", "=cmd|x.json"},
      {"a minus", "-rf.json"},
      {"a carriage return", "a\rb.json"}};
  // Tests each name with three commands, and each command with several names.
  const std::vector<std::pair<const char*, int>> commands = {
      {"gpubench show {}", 0},
      {"gpubench file validate {}", 0},
      {"gpubench show --format html {}", 0},
      {"gpubench show --format csv {}", 0},
      {"gpubench compare ./good.json {}", 0},
      {"gpubench report -o report.html ./good.json {}", 0},
      {"gpubench show {}x", 3},
      {"train -o {0}.out && rm {0}.out*", 0},
      {"plan --dataset synthetic --data-dir {}.d", 0},
      {"gpubench --resume {}.lost", 2},
      {"plan suite {}.suite", 2},
      {"gpubench file import-power ./good.json {}.log", 3}};
  std::size_t next = 0;
  for (const auto& [what, name] : names) {
    for (int i = 0; i < 3; ++i) {
      const auto& [command, code] = commands[next++ % commands.size()];
      const std::string line = fmt::format(fmt::runtime(command), quoted("./" + name));
      attacks.push_back({fmt::format("a file's name with {}, {}", what, command),
                         code,
                         "",
                         line,
                         "",
                         "report.html",
                         {{name, run_document()}, {"good.json", run_document()}}});
    }
    ++next;
  }
  withstand("texts as names", attacks);
}

TEST_CASE("an anonymized document does not identify the user", "[texts]") {
  std::vector<Attack> attacks;
  for (const char* place : {"/tool/arguments/1", "/environment/host"}) {
    attacks.push_back({fmt::format("M13: a secret at {} of a document", place),
                       0,
                       "",
                       "gpubench file anonymize bad.json > out; s=$?; grep -F alice out >&2; exit $s",
                       "",
                       "out",
                       {{"bad.json", with(run_document(), place, "https://alice:secret@example.org/")}}});
  }
  withstand("anonymization", attacks);
}

}  // namespace gpubench::test::texts_test
