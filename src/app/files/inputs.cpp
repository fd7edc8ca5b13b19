#include "app/files/inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "compare/published.h"
#include "compare/rows.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "record/document/json.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

/// A file to read, or a published result that is built into the program.
struct Source {
  fs::path path;             ///< Empty for a published result.
  std::string published;     ///< Name of the published result.
  bool is_optional = false;  ///< Found in a folder, not named by the user.

  std::string name() const {
    return path.empty() ? std::string(kPublished) + published : path.filename().string();
  }
};

std::vector<Source> sources_in(const fs::path& folder) {
  std::vector<Source> sources;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ".json") sources.push_back({entry.path(), "", true});
  }
  std::ranges::sort(sources, {}, &Source::path);
  if (!sources.empty()) return sources;
  throw Error(ErrorKind::kUsage, "{}: has no .json files; name a folder with result files", folder.string());
}

std::vector<Source> list_sources(const std::vector<std::string>& inputs) {
  std::vector<Source> sources;
  for (const std::string& input : inputs) {
    if (input.starts_with(kPublished)) {
      sources.push_back({{}, input.substr(kPublished.size())});
    } else if (std::error_code ignored; fs::is_directory(input, ignored)) {
      append(sources, sources_in(input));
    } else {
      sources.push_back({input, ""});
    }
  }
  return sources;
}

struct Content {
  DocumentKind kind = DocumentKind::kRun;
  std::optional<RunRecord> run{};  ///< Only of a published result, and of a document of the wanted kind.
};

Content read(const Source& source, std::optional<DocumentKind> wanted = {}) {
  if (source.path.empty()) {
    const RunRecord run = published_run(source.published);
    return {run.has_operations() ? DocumentKind::kOperations : DocumentKind::kRun, run};
  }
  return read_document_as(source.path, [&](const Json& document) {
    Content content{document_kind(document)};
    if (content.kind == wanted) content.run = any_run_from_json(document);
    return content;
  });
}

/// Skips documents of another kind, and unreadable files in a folder.
std::optional<RunRecord> read_run(const Source& source, DocumentKind wanted, Selection selection) {
  Content content;
  try {
    content = read(source, wanted);
  } catch (const Error& error) {
    if (!source.is_optional || error.kind() != ErrorKind::kData) throw;
    log_info(std::string(error.what()) + "; skipped");
    return std::nullopt;
  }
  if (content.kind == wanted) return std::move(content.run);
  const std::string why = fmt::format("is {}, not {}", to_string(content.kind), to_string(wanted));
  require(selection == Selection::kUsable || source.is_optional, "{}: {}; leave it out", source.name(), why);
  log_info("{}: skipped: {}", source.path.empty() ? source.name() : source.path.string(), why);
  return std::nullopt;
}

bool has_good_case(const NamedRun& run) {
  return std::ranges::count(run.run.cases, RowStatus::kOk, &CaseRecord::status) > 0;
}

/// Skips runs without an ok case as the selection requires.
void drop_useless(std::vector<NamedRun>& runs, Selection selection) {
  const bool has_good = std::ranges::any_of(runs, has_good_case);
  std::erase_if(runs, [&](const NamedRun& run) {
    const bool is_empty = run.run.cases.empty();
    if (is_empty && selection == Selection::kAll)
      throw Error(ErrorKind::kData, "{}: has no cases; a gate needs at least one", run.name);
    const bool is_useless =
        selection == Selection::kUsable && (is_empty || (has_good && !has_good_case(run)));
    if (is_useless) log_info("{}: skipped: has no ok case", run.name);
    return is_useless;
  });
}

}  // namespace

std::vector<std::string> list_input_files(const std::vector<std::string>& inputs) {
  return mapped(list_sources(inputs), [](const Source& source) {
    require(!source.path.empty(), "{}: is built into gpubench; name a result file", source.name());
    return source.path.string();
  });
}

std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs, DocumentKind wanted,
                                Selection selection) {
  std::vector<NamedRun> runs;
  for (const Source& source : list_sources(inputs)) {
    std::optional<RunRecord> run = read_run(source, wanted, selection);
    if (run) runs.push_back({source.name(), std::move(*run)});
  }
  if (wanted == DocumentKind::kRun) drop_useless(runs, selection);
  if (!runs.empty()) return runs;
  throw Error(ErrorKind::kData, "no file is {}; name a result file of gpubench", to_string(wanted));
}

std::vector<Candidate> candidates_in(const std::vector<NamedRun>& runs) {
  std::vector<Candidate> candidates;
  for (const NamedRun& run : runs) append(candidates, make_candidates(run.run, run.name));
  return candidates;
}

DocumentKind compared_kind(const std::vector<std::string>& inputs) {
  bool has_runs = false;
  bool has_ops = false;
  for (const Source& source : list_sources(inputs)) {
    try {
      const DocumentKind kind = read(source).kind;
      if (source.path.empty()) return kind;
      has_runs = has_runs || kind == DocumentKind::kRun;
      has_ops = has_ops || kind == DocumentKind::kOperations;
    } catch (const Error&) {  // load_runs() reports unreadable files.
      if (source.path.empty()) throw;
    }
  }
  return has_ops && !has_runs ? DocumentKind::kOperations : DocumentKind::kRun;
}

}  // namespace gpubench
