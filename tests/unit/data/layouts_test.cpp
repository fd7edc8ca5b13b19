// Datasets in the folders and file names of other tools.

#include "files.h"
#include "gpubench/dataset.h"
#include "support/paths.h"
#include "support/temp_dir.h"

namespace gpubench::test::layouts_test {
namespace {

namespace fs = std::filesystem;

const DatasetEntry& entry(const std::string& name) { return *datasets().find(name); }

/// Writes a dataset with 6 training images. `path` makes a file name from a stem.
template <class Path>
void write_idx(const TempDir& dir, Path path) {
  dir.file(path("train-images-idx3-ubyte"), idx_images(6));
  dir.file(path("train-labels-idx1-ubyte"), idx_labels(6));
  dir.file(path("t10k-images-idx3-ubyte"), idx_images(4));
  dir.file(path("t10k-labels-idx1-ubyte"), idx_labels(4));
}

std::string dotted(std::string stem) { return stem.replace(stem.rfind("-idx"), 1, "."); }

std::string missing(const std::string& name, const TempDir& dir, bool is_offline) {
  return catch_data_error([&] { load_dataset(entry(name), {}, dir.path(), is_offline); });
}

}  // namespace

TEST_CASE("IDX files are found in the layouts of torchvision and Kaggle") {
  const std::vector<std::function<std::string(std::string)>> layouts{
      [](const std::string& stem) { return "FashionMNIST/raw/" + stem; },
      [](const std::string& stem) { return "FashionMNIST/" + stem; },
      [](const std::string& stem) { return "fashion-mnist/" + dotted(stem); },
      [](const std::string& stem) { return "fashion-mnist/" + stem + "/" + stem; },
      [](const std::string& stem) { return "fashion-mnist/" + dotted(stem) + "/" + dotted(stem); }};
  for (const auto& layout : layouts) {
    const TempDir dir;
    write_idx(dir, layout);
    INFO(layout("train-images-idx3-ubyte"));
    CHECK(load_dataset(entry("fashion-mnist"), {}, dir.path(), true).train.size() == 5);
  }
  const TempDir dir;
  write_idx(dir, [](const std::string& stem) { return "MNIST/raw/" + stem; });
  CHECK(load_dataset(entry("mnist"), {}, dir.path(), true).train.size() == 5);
  CHECK_FALSE(missing("fashion-mnist", dir, true).empty());
}

TEST_CASE("CIFAR-10 is found in its usual folders and in the data folder itself") {
  const fs::path fixture = fs::path(fixtures_dir()) / "cifar-10-batches-bin";
  for (const std::string folder : {"cifar10/cifar-10-batches-bin", "CIFAR10", "."}) {
    const TempDir dir;
    fs::create_directories(dir.path() / folder);
    fs::copy(fixture, dir.path() / folder);
    CHECK(load_dataset(entry("cifar10"), {}, dir.path(), true).train.size() > 0);
  }
}

TEST_CASE("the error for a missing dataset has the searched names and folders, and the remedy") {
  const TempDir dir;
  const std::string online = missing("fashion-mnist", dir, false);
  CHECK_THAT(online,
             contains_text("train-images-idx3-ubyte.gz cannot be read: no such file (searched for "
                           "train-images-idx3-ubyte or train-images.idx3-ubyte, with or without .gz") &&
                 contains_text("in fashion-mnist, FashionMNIST/raw") && contains_text(dir.path().string()) &&
                 contains_text("; run 'gpubench data fetch fashion-mnist'"));
  const std::string offline = missing("fashion-mnist", dir, true);
  CHECK_THAT(offline, contains_text("; copy its files there"));
  CHECK(offline.find("fetch") == std::string::npos);
}

TEST_CASE("the error mentions the Python version of CIFAR-10 if it is present") {
  const TempDir dir;
  dir.file("cifar-10-batches-py/data_batch_1", "a pickle");
  CHECK_THAT(
      missing("cifar10", dir, true),
      contains_text("cifar-10-batches-py is the Python version, but gpubench reads the binary version"));
}

TEST_CASE("texts of the raw version and of Penn Treebank are found, and their byte order mark is ignored") {
  const TempDir plain;
  const TempDir marked;
  for (const std::string split : {"train", "valid", "test"}) {
    plain.file("wikitext-2/wiki." + split + ".raw", "a b a\n");
    marked.file("ptb/ptb." + split + ".txt",
                "\xef\xbb\xbf"
                "a b a\n");
  }
  const Dataset one = load_dataset(entry("wikitext2"), {}, plain.path(), true);
  const Dataset two = load_dataset(entry("wikitext2"), {}, marked.path(), true);
  CHECK(one.train.inputs.bytes == two.train.inputs.bytes);
  CHECK(one.train.size() == 4);
}

}  // namespace gpubench::test::layouts_test
