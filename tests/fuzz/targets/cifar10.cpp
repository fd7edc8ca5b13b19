// One file of CIFAR-10 beside valid ones.

#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"

namespace gpubench::fuzz {
namespace {

constexpr std::size_t kRecordBytes = 3'073;
constexpr std::int64_t kImageBytes = 3 * 32 * 32;

/// Returns a folder with valid files of one record each, without the first one.
const Folder& folder() {
  static const Folder folder;
  static const bool is_filled = [] {
    for (const char* const name :
         {"data_batch_2", "data_batch_3", "data_batch_4", "data_batch_5", "test_batch"}) {
      folder.file(std::string(name) + ".bin", std::string(kRecordBytes, '\x07'));
    }
    return true;
  }();
  require(is_filled, "the other files exist");
  return folder;
}

void require_whole(const Split& split) {
  require(std::ssize(split.inputs.bytes) == split.size() * kImageBytes, "every image has its pixels");
  require(split.targets.shape.front() == split.size(), "every image has a label");
}

void read(std::string_view input) {
  folder().file("data_batch_1.bin", input);
  accepts([] {
    const Dataset dataset = datasets().find("cifar10")->load(folder().path(), {});
    require_whole(dataset.train);
    require_whole(dataset.test);
  });
}

}  // namespace

Target entry_cifar10() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
