// WikiText-2 (Merity et al. 2016), word level, from its first author's site: the original place is closed.

#include <algorithm>

#include "data/decode/wikitext.h"
#include "data/entries.h"
#include "data/fetch/archive.h"
#include "data/fetch/provenance.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kName = "wikitext2";
const char* const kFolder = "wikitext-2";
const char* const kArchive = "wikitext-2-v1.zip";
constexpr const WikitextPart* kParts[] = {&kWikitextTraining, &kWikitextValidation, &kWikitextTest};

DataSpec spec() { return {Task::kLanguage, {}, kWikitextVocabulary}; }

SplitSizes sizes() { return {kWikitextTraining.count, kWikitextValidation.count, kWikitextTest.count}; }

bool is_present(const fs::path& folder) {
  return std::ranges::all_of(kParts,
                             [&](const WikitextPart* part) { return has_wikitext_part(folder, *part); });
}

Dataset load(const fs::path& folder) {
  WikitextReader reader(folder, kName);
  Dataset dataset;
  dataset.spec = spec();
  dataset.train = reader.read(kWikitextTraining);
  dataset.validation = reader.read(kWikitextValidation);
  dataset.test = reader.read(kWikitextTest);
  dataset.record = reader.record();
  dataset.record.note = provenance_note(dataset, sizes());
  return dataset;
}

/// The archive goes once its files are there: they are all that `load` reads.
void unpack(const fs::path& folder) {
  std::vector<std::string> members;
  for (const WikitextPart* part : kParts) {
    members.push_back(std::string(kFolder) + "/" + part->names.front());
  }
  unpack_members(folder / kArchive, members, kWikitextTraining.limit, folder);
  std::error_code ignored;
  fs::remove(folder / kArchive, ignored);
}

}  // namespace

DatasetEntry entry_wikitext2() {
  DatasetEntry entry;
  entry.name = kName;
  entry.summary = "2.1 million words of Wikipedia, a vocabulary of 33,278";
  entry.spec = spec();
  entry.sizes = sizes();
  entry.folder = kFolder;
  entry.base_url = "https://wikitext.smerity.com";
  // The MD5 is torchtext's, the size that of Hugging Face's description of the same file.
  entry.files = {{kArchive, Bytes{4'475'746}, "542ccefacc6c27f945fb54453812b3cd"}};
  entry.is_present = is_present;
  entry.load = load;
  entry.unpack = unpack;
  return entry;
}

}  // namespace gpubench
