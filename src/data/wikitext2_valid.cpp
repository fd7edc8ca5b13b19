// WikiText-2 without its training file: a tenth of the text, for short runs and where only that much is
// there.

#include "data/decode/wikitext.h"
#include "data/entries.h"
#include "data/fetch/provenance.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kName = "wikitext2-valid";

SplitSizes sizes() { return {kWikitextValidation.count, 0, kWikitextTest.count}; }

bool is_present(const fs::path& folder) {
  return has_wikitext_part(folder, kWikitextValidation) && has_wikitext_part(folder, kWikitextTest);
}

/// The vocabulary is smaller than WikiText-2's, the network that is trained on it is the same.
Dataset load(const fs::path& folder) {
  WikitextReader reader(folder, kName);
  Dataset dataset;
  dataset.spec = {Task::kLanguage, {}, kWikitextVocabulary};
  dataset.train = reader.read(kWikitextValidation);
  dataset.test = reader.read(kWikitextTest);
  dataset.record = reader.record();
  dataset.record.note = provenance_note(dataset, sizes());
  return dataset;
}

}  // namespace

DatasetEntry entry_wikitext2_valid() {
  DatasetEntry entry = entry_wikitext2();
  entry.name = kName;
  entry.summary = "the validation text of wikitext2 to train on, its test text to test";
  entry.sizes = sizes();
  entry.is_present = is_present;
  entry.load = load;
  return entry;
}

}  // namespace gpubench
