#pragma once
// Replaces words in texts, and remembers which.

#include <string>
#include <string_view>
#include <vector>

#include "gpubench/record/redaction.h"

namespace gpubench {

class Redactor {
 public:
  /// `word` stands for `found` from now on, where that is a word of its own, whatever its case. What is empty
  /// or known already is passed over.
  void know(const std::string& found, const std::string& word);

  /// Learns the users whose home folder `text` names.
  void learn_users(std::string_view text);

  /// `text` with all that is known replaced, and serial numbers.
  std::string redacted(const std::string& text);

  /// What was replaced at least once.
  std::vector<Replacement> replacements() const;

 private:
  std::string with_words_replaced(const std::string& text);
  std::string with_serials_replaced(const std::string& text);
  const Replacement* longest_match(std::string_view text, std::size_t at) const;
  const std::string& serial_word(std::string_view serial);

  std::vector<Replacement> words_;
  std::vector<Replacement> serials_;
};

}  // namespace gpubench
