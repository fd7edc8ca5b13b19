// JPEG and PNG files in the dataset `images`.

#include <cstdlib>

#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"

namespace gpubench::fuzz {
namespace {

constexpr std::int64_t kImageBytes = 3 * 64 * 64;

void read(std::string_view input) {
  static const Folder folder;
  setenv("XDG_CACHE_HOME", folder.path().c_str(), 1);
  folder.file("images/one.png", input);
  accepts([] {
    const Dataset dataset =
        datasets().find("images")->load(folder.path() / "images", {Task::kImages, {3, 64, 64}, 0});
    require(dataset.train.size() == 1, "the dataset has one image");
    require(std::ssize(dataset.train.inputs.bytes) == kImageBytes, "every pixel has three bytes");
  });
}

}  // namespace

Target entry_picture() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
