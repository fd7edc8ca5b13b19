#pragma once
// Token files of WikiText-2 (Merity et al. 2016): words between blanks, with a counted vocabulary.

#include <string>

#include "gpubench/dataset.h"

namespace gpubench {

/// Returns the dataset, from the archive of WikiText-2's first author. Unless `is_whole`, the validation file
/// trains, the test file tests, and nothing validates. Splits are streams of kInt32 tokens, words and line
/// ends, numbered by first appearance over all splits, as in PyTorch's word_language_model example.
DatasetEntry wikitext_entry(const std::string& name, const std::string& summary, bool is_whole);

}  // namespace gpubench
