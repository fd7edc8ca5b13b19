// Token files of llm.c and nanoGPT: a stream of numbers, made by the tokenizers of those projects.

#include <algorithm>
#include <array>
#include <string_view>

#include "data/fetch/fetch.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/digest.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"
#include "gpubench/dataset.h"

namespace gpubench::tokens_plugin {
namespace {

namespace fs = std::filesystem;

const char* const kName = "tokens";
constexpr std::int64_t kMaxFiles = 1'024;
constexpr std::array<std::string_view, 3> kSplits{"train", "val", "test"};

// The header of llm.c has 256 numbers of four bytes: magic, version, number of tokens, then zeros.
constexpr std::size_t kHeaderBytes = 1'024;
constexpr Bytes kMaxFileSize{std::int64_t{1} << 31};  // Also of all files: 4 GB in memory.

struct Format {
  std::int64_t magic;
  std::int64_t version;
  std::size_t width;  ///< Bytes per token.
};
constexpr std::array kFormats{Format{20'240'520, 1, 2}, Format{20'240'801, 7, 4}};  // For GPT-2 and Llama 3.

/// Accepts any vocabulary and length of sequences.
DataSpec adapt(const DataSpec& wanted) {
  constexpr std::int64_t kLargestVocabulary = 1 << 20;
  return {Task::kLanguage, {}, wanted.task == Task::kLanguage ? wanted.classes : kLargestVocabulary};
}

/// Returns the little-endian number of `width` bytes at `offset`.
std::int64_t number_at(const RawFile& file, std::size_t offset, std::size_t width) {
  std::int64_t number = 0;
  for (std::size_t i = width; i > 0; --i) {
    number = number << 8 | std::to_integer<std::int64_t>(file.bytes[offset + i - 1]);
  }
  return number;
}

/// Returns the format in the header; nullptr for a file without header, which only nanoGPT's names may have.
const Format* find_format(const RawFile& file) {
  const std::int64_t magic = file.bytes.size() < kHeaderBytes ? 0 : number_at(file, 0, 4);
  const auto* const format = std::ranges::find(kFormats, magic, &Format::magic);
  if (format != kFormats.end()) {
    if (const std::int64_t version = number_at(file, 4, 4); version != format->version)
      file.reject("has version {} of llm.c's format, but gpubench reads version {}", version,
                  format->version);
    return format;
  }
  if (std::ranges::find(kSplits, file.path.stem().string()) == kSplits.end())
    file.reject("lacks the header of llm.c; name files without header train.bin, val.bin or test.bin");
  return nullptr;
}

void append_tokens(const RawFile& file, std::int64_t vocabulary, HostArray& stream) {
  const Format* const format = find_format(file);
  const std::size_t begin = format != nullptr ? kHeaderBytes : 0;
  const std::size_t width = format != nullptr ? format->width : sizeof(std::uint16_t);
  const std::size_t count = (file.bytes.size() - begin) / width;
  const std::int64_t stated = format != nullptr ? number_at(file, 8, 4) : static_cast<std::int64_t>(count);
  if (count == 0 || begin + count * width != file.bytes.size() ||
      stated != static_cast<std::int64_t>(count)) {
    file.reject("is truncated or damaged ({} bytes for {} tokens)", with_separators(std::ssize(file.bytes)),
                with_separators(stated));
  }
  std::vector<std::int32_t> tokens(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t token = number_at(file, begin + i * width, width);
    if (token >= vocabulary) {
      file.reject(
          "has token {} at position {}, but the model's vocabulary is {}; use --model-arg vocabulary={} "
          "or more",
          token, with_separators(static_cast<std::int64_t>(i)), vocabulary, token + 1);
    }
    tokens[i] = static_cast<std::int32_t>(token);
  }
  stream.shape.front() += std::ssize(tokens);
  append(stream.bytes, std::as_bytes(std::span(tokens)));
}

/// Returns the `.bin` files of each split in the order of their names. A name belongs to the first split that
/// it contains.
std::array<std::vector<fs::path>, kSplits.size()> find_files(const fs::path& folder) {
  std::array<std::vector<fs::path>, kSplits.size()> files;
  std::error_code failure;
  for (fs::directory_iterator entry(folder, failure); entry != fs::directory_iterator();
       entry.increment(failure)) {
    if (entry->path().extension() != ".bin") continue;
    const std::string name = entry->path().stem().string();
    std::size_t split = 0;
    while (split < kSplits.size() && name.find(kSplits[split]) == name.npos) ++split;
    if (split < kSplits.size()) files[split].push_back(entry->path());
  }
  for (std::vector<fs::path>& split : files) std::ranges::sort(split);
  return files;
}

/// Limits memory before any file is read.
void check_size(const fs::path& folder, const std::vector<fs::path>& files) {
  std::int64_t bytes = 0;
  for (const fs::path& path : files) {
    std::error_code failure;
    const auto size = static_cast<std::int64_t>(fs::file_size(path, failure));
    if (!failure && size <= kMaxFileSize.value) bytes += size;  // read_raw_file() refuses larger files.
  }
  if (std::ssize(files) <= kMaxFiles && bytes <= kMaxFileSize.value) return;
  throw Error(
      ErrorKind::kData,
      "{} has {} token files of {} bytes, at most {} of {} fit; link some of them into another folder",
      folder.string(), files.size(), with_separators(bytes), kMaxFiles, with_separators(kMaxFileSize.value));
}

Split read_split(const std::vector<fs::path>& files, Dataset& dataset) {
  Split split{{ElementType::kInt32, {0}, {}}, {ElementType::kInt32, {}, {}}};
  for (const fs::path& path : files) {
    const RawFile file = read_raw_file(path, kMaxFileSize);
    append_tokens(file, dataset.spec.classes, split.inputs);
    dataset.record.files.push_back(
        {plain_text(file.name()), Bytes{std::ssize(file.bytes)}, sha256(file.bytes), "unverified"});
  }
  return split;
}

Dataset load(const fs::path& folder, const DataSpec& spec) {
  const auto files = find_files(folder);
  if (files[0].empty()) {
    throw Error(ErrorKind::kData,
                "{} has no file *train*.bin; name a folder with token files of llm.c or nanoGPT",
                folder.string());
  }
  std::vector<fs::path> all;
  for (const std::vector<fs::path>& some : files) append(all, some);
  check_size(folder, all);
  Dataset dataset;
  dataset.spec = spec;
  dataset.record.name = kName;
  dataset.train = read_split(files[0], dataset);
  dataset.validation = read_split(files[1], dataset);
  dataset.test = read_split(files[2], dataset);
  if (files[2].empty()) dataset.test = dataset.validation;
  return dataset;
}

}  // namespace

DatasetEntry entry_tokens() {
  return {.name = kName,
          .summary = "your own token files, of llm.c or nanoGPT",
          .spec = adapt({}),
          .sizes = {305'260, 32'768, 32'768},  // Those of tinyshakespeare.
          .folder = kName,
          .is_present = [](const fs::path& folder) { return !find_files(folder)[0].empty(); },
          .load = load,
          .adapt = adapt};
}

}  // namespace gpubench::tokens_plugin
