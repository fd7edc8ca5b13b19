#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/record/redaction.h"
#include "record/record_parts.h"

namespace gpubench {
namespace {

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

bool is_same(std::string_view one, std::string_view other) {
  return std::ranges::equal(one, other, {}, lower, lower);
}

/// Whether the stretch of `text` is not a part of a longer word.
bool is_apart(std::string_view text, std::size_t at, std::size_t size) {
  const bool begins = at == 0 || !is_word_character(text[at - 1]) || !is_word_character(text[at]);
  const std::size_t end = at + size;
  const bool ends = end == text.size() || !is_word_character(text[end]) || !is_word_character(text[end - 1]);
  return begins && ends;
}

std::size_t run_of_hex(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && std::isxdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
  return end - at;
}

/// The length of groups of hexadecimal digits of these sizes with `separator` between, at `at`; else 0.
std::size_t groups_length(std::string_view text, std::size_t at, std::initializer_list<std::size_t> sizes,
                          char separator) {
  std::size_t end = at;
  for (const std::size_t size : sizes) {
    const bool is_first = end == at;
    if (!is_first && (end >= text.size() || text[end++] != separator)) return 0;
    if (run_of_hex(text, end) != size) return 0;
    end += size;
  }
  return end - at;
}

/// "serial number: X", "serial=X": the length of X at `at`; else 0.
std::size_t told_serial_length(std::string_view text, std::size_t at) {
  constexpr std::string_view kBetween = " :=#";
  std::size_t begin = at;
  while (begin > 0 && kBetween.find(text[begin - 1]) != std::string_view::npos) --begin;
  const auto ends_with = [&](std::string_view word) {
    return begin >= word.size() && is_same(text.substr(begin - word.size(), word.size()), word);
  };
  if (begin == at || !(ends_with("serial") || ends_with("serial number") || ends_with("serial no"))) return 0;
  std::size_t end = at;
  while (end < text.size() && (is_word_character(text[end]) || text[end] == '-')) ++end;
  const bool has_digit = text.substr(at, end - at).find_first_of("0123456789") != std::string_view::npos;
  return has_digit ? end - at : 0;
}

std::size_t serial_length(std::string_view text, std::size_t at) {
  for (const std::size_t length :
       {groups_length(text, at, {8, 4, 4, 4, 12}, '-'), groups_length(text, at, {2, 2, 2, 2, 2, 2}, ':'),
        told_serial_length(text, at)}) {
    if (length > 0) return length;
  }
  return 0;
}

class Redactor {
 public:
  /// `word` stands for `found` from now on, where that is a word of its own, whatever its case. What is empty
  /// or known already is passed over.
  void know(const std::string& found, const std::string& word) {
    // A word that stands for itself, and the names that every machine has, tell nothing.
    const bool is_neutral =
        is_same(found, word) || found == "root" || found == "/root" || found == "/" || found == "localhost";
    const bool is_known = place_of(found, words_) != words_.end();
    if (!found.empty() && !is_neutral && !is_known) words_.push_back({found, word, 0});
  }

  /// Learns the users whose home folder `text` names.
  void learn_users(std::string_view text) {
    for (const std::string_view folder : {"/home/", "/Users/"}) {
      for (std::size_t at = text.find(folder); at != std::string_view::npos; at = text.find(folder, at + 1)) {
        const std::size_t begin = at + folder.size();
        const std::size_t end = std::min(text.find_first_of("/ \t\n\"':;,)", begin), text.size());
        const std::string user(text.substr(begin, end - begin));
        if (user.empty() || user == "user") continue;
        know(std::string(folder) + user, "/home/user");
        know(user, "user");
      }
    }
  }

  /// `text` with all that is known replaced, and serial numbers.
  std::string redacted(const std::string& text) { return with_serials_replaced(with_words_replaced(text)); }

  /// What was replaced at least once.
  std::vector<Replacement> replacements() const {
    std::vector<Replacement> used = words_;
    append(used, serials_);
    std::erase_if(used, [](const Replacement& entry) { return entry.count == 0; });
    return used;
  }

 private:
  static std::vector<Replacement>::iterator place_of(std::string_view text, std::vector<Replacement>& list) {
    return std::ranges::find_if(list, [&](const Replacement& entry) { return is_same(entry.found, text); });
  }

  Replacement* longest_match(std::string_view text, std::size_t at) {
    Replacement* best = nullptr;
    for (Replacement& entry : words_) {
      const bool is_here =
          is_same(text.substr(at, entry.found.size()), entry.found) && is_apart(text, at, entry.found.size());
      if (is_here && (best == nullptr || entry.found.size() > best->found.size())) best = &entry;
    }
    return best;
  }

  /// `text` with what `found(at)` gives, a length above 0 and a word, instead of so many characters there.
  template <class Found>
  static std::string replaced(const std::string& text, Found found) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
      const auto [length, word] = found(at);
      result += length > 0 ? word : std::string(1, text[at]);
      at += std::max<std::size_t>(1, length);
    }
    return result;
  }

  std::string with_words_replaced(const std::string& text) {
    return replaced(text, [&](std::size_t at) -> std::pair<std::size_t, std::string> {
      Replacement* const match = longest_match(text, at);
      if (match == nullptr) return {};
      ++match->count;
      return {match->found.size(), match->word};
    });
  }

  const std::string& serial_word(std::string_view serial) {
    auto known = place_of(serial, serials_);
    if (known == serials_.end()) {
      const std::string word = "serial-" + std::to_string(serials_.size() + 1);
      known = serials_.insert(known, {std::string(serial), word, 0});
    }
    ++known->count;
    return known->word;
  }

  std::string with_serials_replaced(const std::string& text) {
    return replaced(text, [&](std::size_t at) -> std::pair<std::size_t, std::string> {
      const bool is_start = at == 0 || !is_word_character(text[at - 1]);
      const std::size_t length = is_start ? serial_length(text, at) : 0;
      if (length == 0) return {};
      // What was replaced already says no more.
      const std::string serial = text.substr(at, length);
      return {length, serial.starts_with("serial-") ? serial : serial_word(serial)};
    });
  }

  std::vector<Replacement> words_;
  std::vector<Replacement> serials_;
};

using Change = std::function<std::string(const std::string&)>;

/// The value with its texts changed; true where that made a difference.
bool change_texts(FieldValue& value, const Change& change) {
  const FieldValue before = value;
  if (auto* text = std::get_if<std::string>(&value)) *text = change(*text);
  if (auto* absent_value = std::get_if<Absent>(&value)) absent_value->reason = change(absent_value->reason);
  if (auto* texts = std::get_if<std::vector<std::string>>(&value)) {
    std::ranges::transform(*texts, texts->begin(), change);
  }
  if (auto* warnings = std::get_if<std::vector<Warning>>(&value)) {
    for (Warning& warning : *warnings) warning.text = change(warning.text);
  }
  return !(value == before);
}

template <class Record>
void change_record(Record& record, const FieldTable<Record>& fields, const Change& change) {
  for (const Field<Record>& field : fields) {
    if (!field.set) continue;
    FieldValue value = field.get(record);
    // A host that is called like one of gpubench's words must not change it. Why such a word is absent is
    // free text.
    if (field.values.is_own_word && !std::holds_alternative<Absent>(value)) continue;
    if (change_texts(value, change)) field.set(record, value);
  }
  visit_lists(record, [&](const char* /*key*/, auto& list, const auto& its_fields) {
    for (auto& item : list) change_record(item, its_fields, change);
  });
}

template <class Run>
void change_all(Run& run, const Change& change) {
  visit_parts(
      run, [&](const char* /*key*/, auto& part, const auto& fields) { change_record(part, fields, change); });
  if constexpr (requires { run.published; }) {
    if (run.published) change_record(*run.published, published_fields(), change);
  }
  visit_rows(run, [&](const char* /*key*/, auto& rows, const auto& fields) {
    for (auto& row : rows) change_record(row, fields, change);
  });
}

void know_host(Redactor& redactor, const std::string& host) {
  redactor.know(host, "host");
  redactor.know(host.substr(0, host.find('.')), "host");
}

template <class Record>
std::vector<Replacement> redact_record(Record& record, const Identity& known) {
  Redactor redactor;
  know_host(redactor, record.environment.host);
  know_host(redactor, known.host);
  redactor.know(known.home, "/home/user");
  redactor.know(known.user, "user");
  change_all(record, [&](const std::string& text) {
    redactor.learn_users(text);
    return text;
  });
  change_all(record, [&](const std::string& text) { return redactor.redacted(without_passwords(text)); });
  return redactor.replacements();
}

}  // namespace

std::vector<Replacement> redact(RunRecord& run, const Identity& known) { return redact_record(run, known); }

std::vector<Replacement> redact(OpsRecord& ops, const Identity& known) { return redact_record(ops, known); }

std::vector<Replacement> redact(SelftestRecord& selftest, const Identity& known) {
  return redact_record(selftest, known);
}

}  // namespace gpubench
