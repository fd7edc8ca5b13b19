#include "app/files/ops_inputs.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include <fmt/format.h>

#include "compare/published.h"
#include "gpubench/core/error.h"
#include "record/document/document_file.h"
#include "record/document/ops_file.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPublished = "published:";

bool is_published(const std::string& input) { return input.starts_with(kPublished); }

std::string name_in(const std::string& input) { return input.substr(kPublished.size()); }

/// A thousand results are asked: only one that has the word in it is parsed twice.
bool is_ops_file(const std::string& input) {
  std::error_code ignored;
  if (!fs::is_regular_file(input, ignored)) return false;
  try {
    const std::string text = read_document_text(input);
    return text.find("\"operations\"") != std::string::npos && is_ops_document(parse_document(text));
  } catch (const Error&) {
    return false;
  }
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
