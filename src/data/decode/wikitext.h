#pragma once
// Datasets of the token files of WikiText-2 (Merity et al. 2016): words between blanks, and a vocabulary
// counted from them.

#include <array>
#include <string>

#include "gpubench/dataset.h"

namespace gpubench {

/// A file, whose name is that of the archive, of PyTorch's example, of the raw version or of Penn Treebank.
struct WikitextPart {
  std::array<const char*, 4> names;
  Bytes limit;         ///< Of its size; the raw version is a little larger.
  const char* sha1;    ///< Of the official file, as Apache MXNet states it.
  std::int64_t count;  ///< Officially, tokens.
};

inline constexpr WikitextPart kWikitextTraining{
    {"wiki.train.tokens", "train.txt", "wiki.train.raw", "ptb.train.txt"},
    {11'500'000},
    "863f29c46ef9d167fff4940ec821195882fe29d1",
    2'088'628};
inline constexpr WikitextPart kWikitextValidation{
    {"wiki.valid.tokens", "valid.txt", "wiki.valid.raw", "ptb.valid.txt"},
    {1'250'000},
    "0418625c8b4da6e4b5c7a0b9e78d4ae8f7ee5422",
    217'646};
inline constexpr WikitextPart kWikitextTest{{"wiki.test.tokens", "test.txt", "wiki.test.raw", "ptb.test.txt"},
                                            {1'400'000},
                                            "c7b8ce0aa086fb34dab808c5c49224211eb2b172",
                                            245'569};

/// Different tokens in the official files.
inline constexpr std::int64_t kWikitextVocabulary = 33'278;

/// What a dataset does with the files; nullptr for a split that it lacks.
struct WikitextSplits {
  const WikitextPart* train;
  const WikitextPart* validation;
  const WikitextPart* test;
};

/// The dataset of that command-line name, from the archive of WikiText-2's first author, the original place
/// being closed. Each split is a stream of tokens, kInt32, which are words and the end of each line. They are
/// numbered in the order in which they first appear, over all splits, as PyTorch's word_language_model
/// example has them.
DatasetEntry wikitext_entry(const std::string& name, const std::string& summary,
                            const WikitextSplits& splits);

}  // namespace gpubench
