// IDX files of images and labels, plain or compressed, beside valid ones.

#include "fuzz/pieces.h"
#include "fuzz/target.h"
#include "gpubench/dataset.h"

namespace gpubench::fuzz {
namespace {

constexpr std::int64_t kPixels = 28 * 28;

void require_whole(const Split& split) {
  require(std::ssize(split.inputs.bytes) == split.size() * kPixels, "every image has its pixels");
  require(split.targets.bytes.size() == static_cast<std::size_t>(split.size()) * sizeof(std::int64_t),
          "every label is a number");
}

/// Returns a valid file with one image or one label.
std::string valid_file(bool is_label) {
  std::string file{'\0', '\0', '\x08', is_label ? '\x01' : '\x03', '\0', '\0', '\0', '\x01'};
  if (!is_label) file += std::string{'\0', '\0', '\0', '\x1c', '\0', '\0', '\0', '\x1c'};
  return file + std::string(is_label ? 1 : kPixels, '\x07');
}

void read(std::string_view input) {
  static const Folder folder;
  for (const bool is_label : {false, true}) {
    for (const std::string set : {"train", "t10k"}) {
      folder.file(set + "-images-idx3-ubyte", valid_file(false));
      folder.file(set + "-labels-idx1-ubyte", valid_file(true));
    }
    folder.file(is_label ? "t10k-labels-idx1-ubyte" : "t10k-images-idx3-ubyte", input);
    accepts([] {
      const Dataset dataset = datasets().find("mnist")->load(folder.path(), {});
      require_whole(dataset.train);
      require_whole(dataset.test);
    });
  }
}

}  // namespace

Target entry_idx() { return {Shape::kBytes, read}; }

}  // namespace gpubench::fuzz
