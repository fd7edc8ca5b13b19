#pragma once
// Datasets of the token files of WikiText-2 (Merity et al. 2016): words between blanks, and a vocabulary
// counted from them.

#include <string>

#include "gpubench/dataset.h"

namespace gpubench {

/// Returns the dataset of that command-line name, from the archive of WikiText-2's first author, the original
/// place being closed. `is_whole` says whether it has all three files; else the validation file trains, the
/// test file tests, and nothing validates. Each split is a stream of tokens, kInt32, which are words and the
/// end of each line. They are numbered in the order in which they first appear, over all splits, as PyTorch's
/// word_language_model example has them.
DatasetEntry wikitext_entry(const std::string& name, const std::string& summary, bool is_whole);

}  // namespace gpubench
