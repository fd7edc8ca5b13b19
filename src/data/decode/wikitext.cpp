#include "data/decode/wikitext.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "data/fetch/archive.h"
#include "data/fetch/raw_file.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kFolder = "wikitext-2";
const char* const kArchive = "wikitext-2-v1.zip";
const char* const kEndOfLine = "<eos>";
const char* const kBlanks = " \t\r\v\f";

/// Cuts what comes before the first of `ends` off `text`, with that end, and returns it without.
std::string_view cut(std::string_view& text, std::string_view ends) {
  const std::size_t size = std::min(text.find_first_of(ends), text.size());
  const std::string_view front = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return front;
}

fs::path make_path(const fs::path& folder, const WikitextPart& part) {
  const auto* const there =
      std::ranges::find_if(part.names, [&](const char* name) { return is_there(folder / name); });
  return folder / (there != part.names.end() ? *there : part.names.front());
}

std::int64_t get_count(const WikitextPart* part) { return part != nullptr ? part->count : 0; }

/// Reads the files of one dataset, one after the other, with a common vocabulary.
class Reader {
 public:
  Reader(const fs::path& folder, const std::string& dataset) : folder_(folder) { record_.name = dataset; }

  /// Of what was read so far.
  const DatasetRecord& record() const { return record_; }

  Split read(const WikitextPart* part) {
    if (part == nullptr) return {};
    const RawFile file = read_raw_file(make_path(folder_, *part), record_.name, part->limit);
    record_.files.push_back(describe_file(file, {}));
    record_.files.back().provenance = sha1(file.bytes) == part->sha1 ? "official" : "other";
    return {read_tokens(file), {ElementType::kInt32, {}, {}}};
  }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  HostArray read_tokens(const RawFile& file) {
    std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // Editors on Windows put it there.
    if (text.find('\0') != text.npos) file.reject("holds a zero byte, so it is no text");
    std::vector<std::int32_t> tokens;
    while (!text.empty()) {
      std::string_view line = cut(text, "\n");
      while (!line.empty()) {
        const std::string_view word = cut(line, kBlanks);
        if (!word.empty()) tokens.push_back(read_number(word, file));
      }
      tokens.push_back(read_number(kEndOfLine, file));
    }
    return {ElementType::kInt32, {std::ssize(tokens)}, to_bytes(tokens)};
  }

  /// The word's number; of a new word the next one.
  std::int32_t read_number(std::string_view word, const RawFile& file) {
    if (const auto known = numbers_.find(word); known != numbers_.end()) return known->second;
    if (std::ssize(numbers_) == kWikitextVocabulary) {
      file.reject(
          "brings the vocabulary beyond {} words; raw text has too many: use the version with <unk> for rare "
          "ones",
          with_separators(kWikitextVocabulary));
    }
    const auto number = static_cast<std::int32_t>(numbers_.size());
    numbers_.emplace(word, number);
    return number;
  }

  const fs::path& folder_;
  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
  DatasetRecord record_;
};

SplitSizes official_sizes(const WikitextSplits& splits) {
  return {get_count(splits.train), get_count(splits.validation), get_count(splits.test)};
}

bool is_present(const fs::path& folder, const WikitextSplits& splits) {
  return std::ranges::all_of(
      std::array{splits.train, splits.validation, splits.test},
      [&](const WikitextPart* part) { return part == nullptr || is_there(make_path(folder, *part)); });
}

Dataset load(const std::string& name, const fs::path& folder, const WikitextSplits& splits) {
  Reader reader(folder, name);
  Dataset dataset;
  dataset.spec = {Task::kLanguage, {}, kWikitextVocabulary};
  dataset.train = reader.read(splits.train);
  dataset.validation = reader.read(splits.validation);
  dataset.test = reader.read(splits.test);
  dataset.record = reader.record();
  dataset.record.note = provenance_note(dataset, official_sizes(splits));
  return dataset;
}

/// What `load` reads is all that stays.
void unpack(const fs::path& folder) {
  std::vector<std::string> members;
  for (const WikitextPart& part : {kWikitextTraining, kWikitextValidation, kWikitextTest}) {
    members.push_back(std::string(kFolder) + "/" + part.names.front());
  }
  unpack_members(folder / kArchive, members, kWikitextTraining.limit);
}

}  // namespace

DatasetEntry wikitext_entry(const std::string& name, const std::string& summary,
                            const WikitextSplits& splits) {
  DatasetEntry entry;
  entry.name = name;
  entry.summary = summary;
  entry.spec = {Task::kLanguage, {}, kWikitextVocabulary};
  entry.sizes = official_sizes(splits);
  entry.folder = kFolder;
  entry.other_folders = {"wikitext-2/wikitext-2",
                         "WikiText2/wikitext-2",
                         "WikiText2",
                         "wikitext2",
                         "wikitext-2-v1/wikitext-2",
                         "wikitext-2-v1",
                         "wikitext-2-raw",
                         "ptb",
                         "penn-treebank"};
  entry.file_names = "wiki.train.tokens, train.txt, wiki.train.raw or ptb.train.txt, and so on";
  entry.base_url = "https://wikitext.smerity.com";
  // The MD5 is torchtext's, the size that of Hugging Face's description of the same file.
  entry.files = {{kArchive, Bytes{4'475'746}, "542ccefacc6c27f945fb54453812b3cd"}};
  entry.is_present = [splits](const fs::path& folder) { return is_present(folder, splits); };
  entry.load = [name, splits](const fs::path& folder) { return load(name, folder, splits); };
  entry.unpack = unpack;
  return entry;
}

}  // namespace gpubench
