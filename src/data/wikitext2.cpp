// WikiText-2 (Merity et al. 2016), word level: tokens are words between blanks.

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "data/fetch/fetch.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/dataset.h"

namespace gpubench::wikitext2_plugin {
namespace {

namespace fs = std::filesystem;

const char* const kFolder = "wikitext-2";
const char* const kEndOfLine = "<eos>";
const char* const kBlanks = " \t\r\v\f";

/// Number of distinct tokens in the official files.
constexpr std::int64_t kVocabulary = 33'278;

/// File names in the archive, in PyTorch's example, in the raw version and in Penn Treebank.
constexpr std::array kNames = {"wiki.{}.tokens", "{}.txt", "wiki.{}.raw", "ptb.{}.txt"};

struct Part {
  const char* name;    ///< Replaces {} in kNames.
  Bytes limit;         ///< Maximum file size. The raw version is slightly larger than the official file.
  const char* sha1;    ///< SHA-1 of the official file, from Apache MXNet.
  std::int64_t count;  ///< Number of tokens in the official file.
};

constexpr Part kTraining{"train", {11'500'000}, "863f29c46ef9d167fff4940ec821195882fe29d1", 2'088'628};
constexpr Part kValidation{"valid", {1'250'000}, "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422", 217'646};
constexpr Part kTest{"test", {1'400'000}, "c7b8ce0aa086fb34dab808c5c49224211eb2b172", 245'569};

/// Files for training, validation and test; nullptr if missing.
using Parts = std::array<const Part*, 3>;

constexpr Parts kWhole{&kTraining, &kValidation, &kTest};
constexpr Parts kSmall{&kValidation, nullptr, &kTest};

/// Removes the text up to and including the first character of `ends`, and returns it without that character.
std::string_view cut(std::string_view& text, std::string_view ends) {
  const std::size_t size = std::min(text.find_first_of(ends), text.size());
  const std::string_view front = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return front;
}

fs::path make_path(const fs::path& folder, const Part& part) {
  for (const char* name : kNames) {
    const fs::path path = folder / fmt::format(fmt::runtime(name), part.name);
    if (file_exists(path)) return path;
  }
  return folder / fmt::format(fmt::runtime(kNames.front()), part.name);
}

/// Common vocabulary of the files of one dataset.
class Vocabulary {
 public:
  HostArray read_tokens(const RawFile& file) {
    std::string_view text(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size());
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);  // UTF-8 byte order mark.
    if (text.find('\0') != text.npos) file.reject("contains a zero byte, so it is not a text file");
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

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  /// Returns the number of a word. A new word gets the next number.
  std::int32_t read_number(std::string_view word, const RawFile& file) {
    if (const auto known = numbers_.find(word); known != numbers_.end()) return known->second;
    if (std::ssize(numbers_) == kVocabulary) {
      file.reject(
          "exceeds the vocabulary of {} words; use the version with <unk> for rare words, not raw text",
          with_separators(kVocabulary));
    }
    const auto number = static_cast<std::int32_t>(numbers_.size());
    numbers_.emplace(word, number);
    return number;
  }

  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

SplitSizes official_sizes(const Parts& parts) {
  const auto count = [](const Part* part) { return part != nullptr ? part->count : 0; };
  return {count(parts[0]), count(parts[1]), count(parts[2])};
}

bool is_present(const fs::path& folder, const Parts& parts) {
  return std::ranges::all_of(
      parts, [&](const Part* part) { return part == nullptr || file_exists(make_path(folder, *part)); });
}

Dataset load(const std::string& name, const fs::path& folder, const Parts& parts) {
  Vocabulary vocabulary;
  Dataset dataset;
  dataset.spec = {Task::kLanguage, {}, kVocabulary};
  dataset.record.name = name;
  const auto read = [&](const Part* part) -> Split {
    if (part == nullptr) return {};
    const RawFile file = read_raw_file(make_path(folder, *part), part->limit);
    dataset.record.files.push_back(describe_file(file, {}));
    if (sha1(file.bytes) == part->sha1) dataset.record.files.back().provenance = "official";
    return {vocabulary.read_tokens(file), {ElementType::kInt32, {}, {}}};
  };
  dataset.train = read(parts[0]);
  dataset.validation = read(parts[1]);
  dataset.test = read(parts[2]);
  dataset.record.note = provenance_note(dataset, official_sizes(parts));
  return dataset;
}

/// Makes an entry whose splits are streams of kInt32 tokens: words and line ends, numbered by first
/// appearance in all splits, as in PyTorch's word_language_model example.
DatasetEntry make_entry(const std::string& name, const std::string& summary, const Parts& parts) {
  return {
      .name = name,
      .summary = summary,
      .spec = {Task::kLanguage, {}, kVocabulary},
      .sizes = official_sizes(parts),
      .folder = kFolder,
      .other_folders = {"wikitext-2/wikitext-2", "WikiText2/wikitext-2", "WikiText2", "wikitext2",
                        "wikitext-2-v1/wikitext-2", "wikitext-2-v1", "wikitext-2-raw", "ptb",
                        "penn-treebank"},
      .file_names = "wiki.train.tokens, train.txt, wiki.train.raw or ptb.train.txt, and so on",
      .base_url = "https://wikitext.smerity.com",
      // The MD5 is from torchtext, the size from Hugging Face's description of the same file.
      .files = {{"wikitext-2-v1.zip", Bytes{4'475'746}, "542ccefacc6c27f945fb54453812b3cd"}},
      .members = mapped(kWhole, [](const Part* part) { return fmt::format("wiki.{}.tokens", part->name); }),
      .largest_member = kTraining.limit,
      .is_present = [=](const fs::path& folder) { return is_present(folder, parts); },
      .load = [=](const fs::path& folder, const DataSpec&) { return load(name, folder, parts); }};
}

}  // namespace

DatasetEntry entry_wikitext2() {
  return make_entry("wikitext2", "2.1 million words of Wikipedia, vocabulary of 33,278", kWhole);
}

/// Makes a variant without the training file: a tenth of the text and a smaller vocabulary, same network.
DatasetEntry entry_wikitext2_valid() {
  return make_entry("wikitext2-valid", "small wikitext2: trains on its validation text", kSmall);
}

}  // namespace gpubench::wikitext2_plugin
