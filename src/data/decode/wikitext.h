#pragma once
// The token files of WikiText-2 (Merity et al. 2016): words between blanks, and a vocabulary counted from
// them.

#include <array>
#include <filesystem>
#include <string>
#include <string_view>
#include <unordered_map>

#include "data/fetch/raw_file.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// Words and the end of each line as numbers, in the order in which they first appear, as PyTorch's
/// word_language_model example has them.
class Vocabulary {
 public:
  /// The word's number; of a new word the next one.
  std::int32_t number_of(std::string_view word);

  std::int64_t size() const { return static_cast<std::int64_t>(numbers_.size()); }

 private:
  struct Hash : std::hash<std::string_view> {
    using is_transparent = void;
  };

  std::unordered_map<std::string, std::int32_t, Hash, std::equal_to<>> numbers_;
};

/// The words of `file` and "<eos>" after each line, as a stream: kInt32 {tokens}. Rejects the file where it
/// is no text or where the vocabulary grows beyond `max_words`.
HostArray read_tokens(const RawFile& file, Vocabulary& vocabulary, std::int64_t max_words);

/// A file of the dataset, whose name is that of the archive or that of PyTorch's example.
struct WikitextPart {
  std::array<const char*, 2> names;
  Bytes limit;         ///< Of its size.
  const char* sha1;    ///< Of the official file, as Apache MXNet states it.
  std::int64_t count;  ///< Officially, tokens.
};

inline constexpr WikitextPart kWikitextTraining{
    {"wiki.train.tokens", "train.txt"}, {11'000'000}, "863f29c46ef9d167fff4940ec821195882fe29d1", 2'088'628};
inline constexpr WikitextPart kWikitextValidation{
    {"wiki.valid.tokens", "valid.txt"}, {1'121'681}, "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422", 217'646};
inline constexpr WikitextPart kWikitextTest{
    {"wiki.test.tokens", "test.txt"}, {1'256'449}, "c7b8ce0aa086fb34dab808c5c49224211eb2b172", 245'569};

/// Different tokens in the official files.
inline constexpr std::int64_t kWikitextVocabulary = 33'278;

/// Whether `folder` has a file of that part.
bool has_wikitext_part(const std::filesystem::path& folder, const WikitextPart& part);

/// Reads the parts of one dataset, one after the other, with a common vocabulary.
class WikitextReader {
 public:
  /// `dataset` is the command-line name.
  WikitextReader(std::filesystem::path folder, const std::string& dataset) : folder_(std::move(folder)) {
    record_.name = dataset;
  }

  /// A stream of tokens. Throws a data Error as DatasetEntry::load does.
  Split read(const WikitextPart& part);

  /// Of what was read so far.
  const DatasetRecord& record() const { return record_; }

 private:
  std::filesystem::path folder_;
  Vocabulary vocabulary_;
  DatasetRecord record_;
};

}  // namespace gpubench
