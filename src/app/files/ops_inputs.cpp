#include "app/files/ops_inputs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>

#include <fmt/format.h>

#include "compare/published.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "record/document/document_file.h"
#include "record/document/ops_file.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPublished = "published:";

bool is_published(const std::string& input) { return input.starts_with(kPublished); }

std::string name_in(const std::string& input) { return input.substr(kPublished.size()); }

/// Of a file; nothing where it does not look like a document. A thousand results are asked: only one that has
/// the word in it is parsed twice.
std::optional<DocumentKind> kind_of(const std::string& input) {
  std::error_code ignored;
  if (!fs::is_regular_file(input, ignored)) return std::nullopt;
  try {
    const std::string text = read_document_text(input);
    const auto has = [&](const std::string& key) { return text.find('"' + key + '"') != std::string::npos; };
    if (!has("operations") && !has("points"))
      return has("cases") ? std::optional(DocumentKind::kRun) : std::nullopt;
    const Json document = parse_document(text);
    if (is_ops_document(document)) return DocumentKind::kOperations;
    const bool is_peak = document.is_object() && document.contains("points");
    return is_peak ? DocumentKind::kPeak : DocumentKind::kRun;
  } catch (const Error&) {
    return std::nullopt;
  }
}

bool is_ops_file(const std::string& input) { return kind_of(input) == DocumentKind::kOperations; }

/// "the result of a run".
std::string words_for(DocumentKind kind) {
  if (kind == DocumentKind::kPeak) return "a peak of the machine";
  return kind == DocumentKind::kRun ? "the result of a run" : "a table of operations";
}

/// Names of runs come first: they were there before.
bool is_ops_publication(const std::string& name) {
  const std::vector<std::string> runs = published_names();
  if (std::find(runs.begin(), runs.end(), name) != runs.end()) return false;
  const std::vector<std::string> names = published_ops_names();
  return std::any_of(names.begin(), names.end(), [&](const std::string& known) {
    return known == name || known.substr(0, known.find('/')) == name;
  });
}

/// All backends of a machine, as one measured there has them.
NamedOps published_table(const std::string& input) {
  std::vector<OpsRecord> tables = published_ops(name_in(input));
  NamedOps whole{input, std::move(tables.front())};
  for (std::size_t i = 1; i < tables.size(); ++i) {
    std::move(tables[i].rows.begin(), tables[i].rows.end(), std::back_inserter(whole.ops.rows));
  }
  return whole;
}

[[noreturn]] void refuse(const std::string& input, const std::string& what) {
  throw Error(ErrorKind::kUsage, fmt::format("{}: {}; tables of operations compare with files of 'gpubench "
                                             "ops' and published ones alone",
                                             input, what));
}

NamedOps read(const std::string& input) {
  if (is_published(input)) return published_table(input);
  if (std::error_code ignored; fs::is_directory(input, ignored)) refuse(input, "is a folder");
  const Json document = read_document(input);
  if (!is_ops_document(document)) refuse(input, "is no table of operations");
  try {
    return {fs::path(input).filename().string(), ops_from_json(document)};
  } catch (const Error& error) {
    throw Error(error.kind(), fmt::format("{}: {}", input, error.what()));
  }
}

}  // namespace

DocumentKind document_kind_named(const std::string& name) {
  if (name == "runs") return DocumentKind::kRun;
  if (name == "operations") return DocumentKind::kOperations;
  throw Error(ErrorKind::kUsage, "--figures " + name + ": give runs or operations");
}

std::vector<std::string> inputs_of_kind(const std::vector<std::string>& inputs, DocumentKind kind) {
  std::vector<std::string> wanted;
  for (const std::string& input : inputs) {
    const DocumentKind found = kind_of(input).value_or(kind);
    if (found == kind) {
      wanted.push_back(input);
    } else {
      say(fmt::format("{} is left out: it is {}, not {}", input, words_for(found), words_for(kind)));
    }
  }
  if (!wanted.empty()) return wanted;
  throw Error(ErrorKind::kData,
              fmt::format("no file is {}; name one that gpubench -o wrote", words_for(kind)));
}

bool are_ops(const std::vector<std::string>& inputs) {
  if (std::any_of(inputs.begin(), inputs.end(), is_ops_file)) return true;
  return std::any_of(inputs.begin(), inputs.end(), [](const std::string& input) {
    return is_published(input) && is_ops_publication(name_in(input));
  });
}

std::vector<NamedOps> load_ops(const std::vector<std::string>& inputs) {
  std::vector<NamedOps> tables;
  for (const std::string& input : inputs) tables.push_back(read(input));
  return tables;
}

}  // namespace gpubench
