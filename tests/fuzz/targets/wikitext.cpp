// Text files: the first line of the input for training, the second for validation, the rest for testing.

#include <cstring>

#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"

namespace gpubench::fuzz {
namespace {

const DatasetEntry& entry() { return *datasets().find("wikitext2"); }

void require_tokens(const Split& split) {
  const std::vector<std::byte>& bytes = split.inputs.bytes;
  require(bytes.size() == static_cast<std::size_t>(split.size()) * sizeof(std::int32_t),
          "tokens are numbers");
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::int32_t)) {
    std::int32_t token = 0;
    std::memcpy(&token, bytes.data() + at, sizeof token);
    require(token >= 0 && token < entry().spec.classes, "a token is in the vocabulary");
  }
}

void read(std::string_view input) {
  static const Folder folder;
  const std::vector<std::string> lines = list_lines(input, 3);
  const char* const files[] = {"train.txt", "valid.txt", "test.txt"};
  for (std::size_t i = 0; i < std::size(files); ++i) {
    folder.file(files[i], i < lines.size() ? lines[i] : "a word");
  }
  accepts([] {
    const Dataset dataset = entry().load(folder.path(), {});
    for (const Split* split : {&dataset.train, &dataset.validation, &dataset.test}) require_tokens(*split);
  });
}

}  // namespace

Target entry_wikitext() { return {Shape::kLines, read}; }

}  // namespace gpubench::fuzz
