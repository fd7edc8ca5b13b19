// WikiText-2 (Merity et al. 2016), word level, from its first author's site: the original place is closed.

#include "data/decode/wikitext.h"
#include "data/entries.h"
#include "data/fetch/archive.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kName = "wikitext2";
const char* const kFolder = "wikitext-2";
const char* const kArchive = "wikitext-2-v1.zip";
constexpr WikitextSplits kSplits{&kWikitextTraining, &kWikitextValidation, &kWikitextTest};

bool is_present(const fs::path& folder) { return has_wikitext(folder, kSplits); }

Dataset load(const fs::path& folder) { return load_wikitext(kName, folder, kSplits); }

/// What `load` reads is all that stays.
void unpack(const fs::path& folder) {
  std::vector<std::string> members;
  for (const WikitextPart* part : {kSplits.train, kSplits.validation, kSplits.test}) {
    members.push_back(std::string(kFolder) + "/" + part->names.front());
  }
  unpack_members(folder / kArchive, members, kWikitextTraining.limit);
}

}  // namespace

DatasetEntry entry_wikitext2() {
  DatasetEntry entry;
  entry.name = kName;
  entry.summary = "2.1 million words of Wikipedia, a vocabulary of 33,278";
  entry.spec = {Task::kLanguage, {}, kWikitextVocabulary};
  entry.sizes = official_sizes(kSplits);
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
