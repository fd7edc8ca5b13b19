// Command lines, one argument per line, which are parsed but not run.

#include "app/command_line.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/core/collect.h"

namespace gpubench::fuzz {
namespace {

constexpr std::size_t kMostWords = 64;

void read(std::string_view input) {
  const std::vector<std::string> words = list_lines(input, kMostWords);
  accepts({ErrorKind::kUsage}, [&] { parse_command_line(words); });
  // Arguments that override those of a former run.
  if (!words.empty()) accepts({ErrorKind::kUsage}, [&] { parse_continued({"--model", "mlp"}, words); });
  std::vector<std::string> ab_words{"ab"};
  append(ab_words, words);
  accepts({ErrorKind::kUsage}, [&] { format_words(named_options(ab_words)); });
}

}  // namespace

Target entry_command_line() { return {Shape::kLines, read}; }

}  // namespace gpubench::fuzz
