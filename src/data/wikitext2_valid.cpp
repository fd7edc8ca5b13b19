// WikiText-2 without its training file: a tenth of the text, for short runs and where only that much is
// there.

#include "data/decode/wikitext.h"
#include "data/entries.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kName = "wikitext2-valid";

constexpr WikitextSplits kSplits{&kWikitextValidation, nullptr, &kWikitextTest};

bool is_present(const fs::path& folder) { return has_wikitext(folder, kSplits); }

/// The vocabulary is smaller than WikiText-2's, the network that is trained on it is the same.
Dataset load(const fs::path& folder) { return load_wikitext(kName, folder, kSplits); }

}  // namespace

DatasetEntry entry_wikitext2_valid() {
  DatasetEntry entry = entry_wikitext2();
  entry.name = kName;
  entry.summary = "the validation text of wikitext2 to train on, its test text to test";
  entry.sizes = official_sizes(kSplits);
  entry.is_present = is_present;
  entry.load = load;
  return entry;
}

}  // namespace gpubench
