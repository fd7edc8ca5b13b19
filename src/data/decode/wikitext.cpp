#include "data/decode/wikitext.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "data/fetch/provenance.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/text/figures.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

const char* const kEndOfLine = "<eos>";
const char* const kBlanks = " \t\r\v\f";

std::string_view text_of(const RawFile& file) {
  return {reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()};
}

/// Cuts what comes before the first of `ends` off `text`, with that end, and returns it without.
std::string_view cut(std::string_view& text, std::string_view ends) {
  const std::size_t size = std::min(text.find_first_of(ends), text.size());
  const std::string_view front = text.substr(0, size);
  text.remove_prefix(std::min(size + 1, text.size()));
  return front;
}

void append(HostArray& tokens, std::int32_t number) {
  const auto* const bytes = reinterpret_cast<const std::byte*>(&number);
  tokens.bytes.insert(tokens.bytes.end(), bytes, bytes + sizeof number);
  ++tokens.shape.front();
}

fs::path path_of(const fs::path& folder, const WikitextPart& part) {
  const auto* const there =
      std::ranges::find_if(part.names, [&](const char* name) { return is_there(folder / name); });
  return folder / (there != part.names.end() ? *there : part.names.front());
}

}  // namespace

std::int32_t Vocabulary::number_of(std::string_view word) {
  if (const auto known = numbers_.find(word); known != numbers_.end()) return known->second;
  const auto number = static_cast<std::int32_t>(numbers_.size());
  numbers_.emplace(word, number);
  return number;
}

HostArray read_tokens(const RawFile& file, Vocabulary& vocabulary, std::int64_t max_words) {
  std::string_view text = text_of(file);
  if (text.find('\0') != text.npos) file.reject("holds a zero byte, so it is no text");
  HostArray tokens{ElementType::kInt32, {0}, {}};
  const auto add = [&](std::string_view word) {
    append(tokens, vocabulary.number_of(word));
    if (vocabulary.size() <= max_words) return;
    file.reject(fmt::format("brings the vocabulary beyond {} words", with_separators(max_words)));
  };
  while (!text.empty()) {
    std::string_view line = cut(text, "\n");
    while (!line.empty()) {
      if (const std::string_view word = cut(line, kBlanks); !word.empty()) add(word);
    }
    add(kEndOfLine);
  }
  return tokens;
}

bool has_wikitext_part(const fs::path& folder, const WikitextPart& part) {
  return is_there(path_of(folder, part));
}

Split WikitextReader::read(const WikitextPart& part) {
  const RawFile file = read_raw_file(path_of(folder_, part), record_.name, part.limit);
  record_.files.push_back(describe_file(file, sha1(file.bytes) == part.sha1));
  return {read_tokens(file, vocabulary_, kWikitextVocabulary), {ElementType::kInt32, {}, {}}};
}

}  // namespace gpubench
