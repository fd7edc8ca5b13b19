// Token files of llm.c, and of nanoGPT without header.

#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"

namespace gpubench::fuzz {
namespace {

void read(std::string_view input) {
  static const Folder folder;
  folder.file("train.bin", input);
  accepts([] {
    const Dataset dataset = datasets().find("tokens")->load(folder.path(), {Task::kLanguage, {}, 50'257});
    require(std::ssize(dataset.train.inputs.bytes) == 4 * dataset.train.size(), "tokens are numbers");
    require(dataset.train.size() > 0, "a file has tokens");
  });
}

}  // namespace

Target entry_tokens() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
