// Command lines, a word a line: parsed, and none is run.

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
  // Those of a run that continues.
  accepts({ErrorKind::kUsage}, [&] { parse_over({}, words); });
  std::vector<std::string> of_side{"ab"};
  append(of_side, words);
  accepts({ErrorKind::kUsage}, [&] { format_words(named_options(of_side)); });
}

}  // namespace

Target entry_command_line() { return {Shape::kLines, read}; }

}  // namespace gpubench::fuzz
