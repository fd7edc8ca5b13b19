// Text as tokens: the first line trains, the second validates, the rest tests.

#include <cstring>

#include "data/decode/wikitext.h"
#include "fuzz/pieces.h"
#include "fuzz/target.h"

namespace gpubench::fuzz {
namespace {

void require_tokens(const Split& split) {
  const std::vector<std::byte>& bytes = split.inputs.bytes;
  require(bytes.size() == static_cast<std::size_t>(split.size()) * sizeof(std::int32_t),
          "tokens are numbers");
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::int32_t)) {
    std::int32_t token = 0;
    std::memcpy(&token, bytes.data() + at, sizeof token);
    require(token >= 0 && token < kWikitextVocabulary, "a token is of the vocabulary");
  }
}

void read(std::string_view input) {
  static const Folder folder;
  const std::vector<std::string> lines = list_lines(input, 3);
  const WikitextPart* const parts[] = {&kWikitextTraining, &kWikitextValidation, &kWikitextTest};
  for (std::size_t i = 0; i < std::size(parts); ++i) {
    folder.file(parts[i]->names[0], i < lines.size() ? lines[i] : "a word");
  }
  accepts([] {
    const DatasetEntry entry =
        wikitext_entry("text", "", {&kWikitextTraining, &kWikitextValidation, &kWikitextTest});
    const Dataset dataset = entry.load(folder.path());
    for (const Split* split : {&dataset.train, &dataset.validation, &dataset.test}) require_tokens(*split);
  });
}

}  // namespace

Target entry_wikitext() { return {Shape::kLines, read}; }

}  // namespace gpubench::fuzz
