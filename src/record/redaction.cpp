#include <algorithm>
#include <cctype>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

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

std::size_t digits_at(std::string_view text, std::size_t at, std::string_view digits) {
  const std::size_t end = text.find_first_not_of(digits, at);
  return std::min(end, text.size()) - at;
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

/// "GPU-8f6e", "MIG-8f6e-12": the length of what follows the hyphen at `at`; else 0. A variable such as
/// CUDA_VISIBLE_DEVICES may hold the start of a UUID alone.
std::size_t gpu_uuid_length(std::string_view text, std::size_t at) {
  constexpr std::size_t kPrefix = 4;
  constexpr std::size_t kLeast = 4;
  const bool is_named = at >= kPrefix && (is_same(text.substr(at - kPrefix, kPrefix), "GPU-") ||
                                          is_same(text.substr(at - kPrefix, kPrefix), "MIG-"));
  const std::size_t length = digits_at(text, at, "0123456789abcdefABCDEF-");
  return is_named && length >= kLeast && is_apart(text, at, length) ? length : 0;
}

/// The number that systemd gives a machine, which others use as well.
std::size_t machine_id_length(std::string_view text, std::size_t at) {
  constexpr std::size_t kDigits = 32;
  return run_of_hex(text, at) == kDigits && is_apart(text, at, kDigits) ? kDigits : 0;
}

std::size_t serial_length(std::string_view text, std::size_t at) {
  for (const std::size_t length :
       {groups_length(text, at, {8, 4, 4, 4, 12}, '-'), groups_length(text, at, {2, 2, 2, 2, 2, 2}, ':'),
        groups_length(text, at, {2, 2, 2, 2, 2, 2}, '-'), gpu_uuid_length(text, at),
        machine_id_length(text, at), told_serial_length(text, at)}) {
    if (length > 0) return length;
  }
  return 0;
}

/// "192.168.0.7": four numbers below 256, of which no fifth part follows.
std::size_t ipv4_length(std::string_view text, std::size_t at) {
  std::size_t end = at;
  for (int part = 0; part < 4; ++part) {
    if (part > 0 && (end >= text.size() || text[end++] != '.')) return 0;
    const std::size_t digits = digits_at(text, end, "0123456789");
    if (digits == 0 || digits > 3 || std::stoi(std::string(text.substr(end, digits))) > 255) return 0;
    end += digits;
  }
  const bool goes_on = end + 1 < text.size() && text[end] == '.' && is_word_character(text[end + 1]);
  return goes_on || !is_apart(text, at, end - at) ? 0 : end - at;
}

/// "fe80::1", "2001:db8:0:0:0:0:0:1": hexadecimal digits and colons, eight parts or a gap.
std::size_t ipv6_length(std::string_view text, std::size_t at) {
  const std::string_view stretch = text.substr(at, digits_at(text, at, "0123456789abcdefABCDEF:"));
  const auto colons = std::ranges::count(stretch, ':');
  const bool has_gap = stretch.find("::") != std::string_view::npos && stretch.size() > 4;
  return colons <= 7 && (colons == 7 || has_gap) && is_apart(text, at, stretch.size()) ? stretch.size() : 0;
}

/// "alice@example.org", from its first character on.
std::size_t email_length(std::string_view text, std::size_t at) {
  constexpr std::string_view kName = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%+-";
  const std::size_t name = digits_at(text, at, kName);
  if (name == 0 || at + name >= text.size() || text[at + name] != '@') return 0;
  const std::string_view domain = text.substr(at + name + 1, digits_at(text, at + name + 1, kName));
  const std::size_t point = domain.find('.');
  return point == std::string_view::npos || point == 0 || point + 1 == domain.size()
             ? 0
             : name + 1 + domain.size();
}

/// What tells of a person or a machine by its form: its length at `at`, where no word goes on, and its kind.
struct Telling {
  std::size_t length = 0;
  const char* kind = "";
};

Telling telling_at(std::string_view text, std::size_t at) {
  if (const std::size_t length = serial_length(text, at)) return {length, "serial"};
  if (const std::size_t length = email_length(text, at)) return {length, "mail"};
  if (const std::size_t length = ipv4_length(text, at)) return {length, "address"};
  if (const std::size_t length = ipv6_length(text, at)) return {length, "address"};
  return {};
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

  /// Learns the users whose folders `text` names, and what disks are called.
  void learn_folders(std::string_view text) {
    for (const std::string_view folder : {"/home/", "/Users/", "/users/"}) {
      for (const std::string& user : names_below(folder, text)) {
        know(std::string(folder) + user, "/home/user");
        know(user, "user");
      }
    }
    for (const std::string_view folder : {"/mnt/", "/media/", "/run/user/"}) {
      for (const std::string& name : names_below(folder, text))
        know(std::string(folder) + name, std::string(folder) + "folder");
    }
  }

  /// Learns the names of `host` with its domain, and the domain.
  void learn_domain(std::string_view text, const std::string& host) {
    const std::string short_name = host.substr(0, host.find('.'));
    if (short_name.empty() || short_name == "localhost") return;
    for (std::size_t at = text.find(short_name + "."); at != std::string_view::npos;
         at = text.find(short_name + ".", at + 1)) {
      constexpr std::string_view kLabels = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-";
      const std::size_t begin = at + short_name.size() + 1;
      std::string domain(text.substr(begin, digits_at(text, begin, kLabels)));
      while (domain.ends_with('.')) domain.pop_back();
      // One label alone may be the ending of a file.
      if (is_apart(text, at, short_name.size()) && domain.find('.') != std::string::npos) {
        know(short_name + "." + domain, "host");
        know(domain, "domain");
      }
    }
  }

  /// `text` with all that is known replaced, and what tells by its form.
  std::string redacted(const std::string& text) { return with_tellings_replaced(with_words_replaced(text)); }

  /// What was replaced at least once.
  std::vector<Replacement> replacements() const {
    std::vector<Replacement> used = words_;
    append(used, tellings_);
    std::erase_if(used, [](const Replacement& entry) { return entry.count == 0; });
    return used;
  }

 private:
  /// The names that follow `folder` in `text`.
  static std::vector<std::string> names_below(std::string_view folder, std::string_view text) {
    std::vector<std::string> names;
    for (std::size_t at = text.find(folder); at != std::string_view::npos; at = text.find(folder, at + 1)) {
      const std::size_t begin = at + folder.size();
      const std::size_t end = std::min(text.find_first_of("/ \t\n\"':;,)", begin), text.size());
      const std::string name(text.substr(begin, end - begin));
      if (!name.empty() && name != "user" && name != "folder") names.push_back(name);
    }
    return names;
  }

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

  const std::string& word_for(std::string_view found, const std::string& kind) {
    auto known = place_of(found, tellings_);
    if (known == tellings_.end()) {
      const auto is_of_kind = [&](const Replacement& entry) { return entry.word.starts_with(kind); };
      const auto count = std::ranges::count_if(tellings_, is_of_kind);
      known = tellings_.insert(known, {std::string(found), fmt::format("{}-{}", kind, count + 1), 0});
    }
    ++known->count;
    return known->word;
  }

  std::string with_tellings_replaced(const std::string& text) {
    return replaced(text, [&](std::size_t at) -> std::pair<std::size_t, std::string> {
      const bool is_start = at == 0 || !is_word_character(text[at - 1]);
      const auto [length, kind] = is_start ? telling_at(text, at) : Telling{};
      if (length == 0) return {};
      // What was replaced already says no more.
      const std::string found = text.substr(at, length);
      return {length, found.starts_with("serial-") ? found : word_for(found, kind)};
    });
  }

  std::vector<Replacement> words_;
  std::vector<Replacement> tellings_;
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

void know_host(Redactor& redactor, const std::string& host, const std::string& word = "host") {
  redactor.know(host, word);
  redactor.know(host.substr(0, host.find('.')), word);
  if (const std::size_t point = host.find('.'); point != std::string::npos)
    redactor.know(host.substr(point + 1), "domain");
}

/// Machines of other ranks stay apart: "host-2", "host-3".
void know_hosts_of_ranks(Redactor& redactor, const Environment& environment) {
  std::vector<std::string> known{environment.host};
  for (const RankRecord& rank : environment.ranks) {
    if (std::ranges::find(known, rank.host) != known.end()) continue;
    known.push_back(rank.host);
    know_host(redactor, rank.host, fmt::format("host-{}", known.size()));
  }
}

template <class Record>
std::vector<Replacement> redact_record(Record& record, const Identity& known) {
  Redactor redactor;
  know_host(redactor, record.environment.host);
  know_host(redactor, known.host);
  know_hosts_of_ranks(redactor, record.environment);
  redactor.know(known.domain, "domain");
  redactor.know(known.home, "/home/user");
  redactor.know(known.user, "user");
  change_all(record, [&](const std::string& text) {
    redactor.learn_folders(text);
    redactor.learn_domain(text, record.environment.host);
    redactor.learn_domain(text, known.host);
    return text;
  });
  change_all(record, [&](const std::string& text) { return redactor.redacted(without_passwords(text)); });
  return redactor.replacements();
}

}  // namespace

std::string redacted(const std::string& text, const std::vector<Replacement>& replacements) {
  Redactor redactor;
  for (const Replacement& entry : replacements) redactor.know(entry.found, entry.word);
  return redactor.redacted(text);
}

std::vector<Replacement> redact(RunRecord& run, const Identity& known) { return redact_record(run, known); }

std::vector<Replacement> redact(OpsRecord& ops, const Identity& known) { return redact_record(ops, known); }

std::vector<Replacement> redact(SelftestRecord& selftest, const Identity& known) {
  return redact_record(selftest, known);
}

}  // namespace gpubench
