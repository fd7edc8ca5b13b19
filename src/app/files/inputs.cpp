#include "app/files/inputs.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include <fmt/format.h>

#include "compare/published.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "record/document/json.h"

namespace gpubench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPublished = "published:";

/// A file to read, or figures that come with the program.
struct Source {
  fs::path path;             ///< Empty for published figures.
  std::string published;     ///< Their name.
  bool is_optional = false;  ///< Found in a folder, not named.

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
  throw Error(ErrorKind::kUsage, "{}: no .json file is in this folder; name one that has results",
              folder.string());
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

std::nullopt_t leave_out(const Source& source, const std::string& why) {
  log_info("{} is left out: {}", source.path.empty() ? source.name() : source.path.string(), why);
  return std::nullopt;
}

struct Wanted {
  DocumentKind kind;
  Selection selection = Selection::kUsable;
};

std::nullopt_t leave_out(const Source& source, DocumentKind found, const Wanted& wanted) {
  const std::string why = fmt::format("is {}, not {}", words_for(found), words_for(wanted.kind));
  if (wanted.selection == Selection::kAll && !source.is_optional)
    throw Error(ErrorKind::kUsage, "{}: {}; leave it out", source.name(), why);
  return leave_out(source, "it " + why);
}

/// Returns the record in a file. Leaves out documents of another kind, and unreadable files in a folder.
template <class Record>
std::optional<Record> read_file(const Source& source, const Wanted& wanted,
                                Record (*from_json)(const Json&)) {
  try {
    return read_document_as(source.path, [&](const Json& document) -> std::optional<Record> {
      const DocumentKind found = document_kind(document);
      if (found != wanted.kind) return leave_out(source, found, wanted);
      return from_json(document);
    });
  } catch (const Error& error) {
    if (!source.is_optional || error.kind() != ErrorKind::kData) throw;
    log_info(std::string(error.what()) + "; left out");
    return std::nullopt;
  }
}

/// Returns the records that were read, with their names. Throws a data Error if there is none.
std::vector<NamedRun> named_records(const std::vector<Source>& sources,
                                    std::vector<std::optional<RunRecord>>& records, DocumentKind wanted) {
  std::vector<NamedRun> named;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i]) named.push_back({sources[i].name(), std::move(*records[i])});
  }
  if (!named.empty()) return named;
  throw Error(ErrorKind::kData, "no file is {}; name one that gpubench -o wrote", words_for(wanted));
}

/// Returns the kind of a file; nothing if it is no document.
std::optional<DocumentKind> detect_kind(const Source& source) {
  try {
    return document_kind(read_document(source.path));
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Returns the kind of published figures; nothing for an unknown name. Runs take precedence.
std::optional<DocumentKind> published_kind(const std::string& name) {
  if (std::ranges::count(published_names(), name) > 0) return DocumentKind::kRun;
  const auto matches = [&](const std::string& known) {
    return known == name || known.substr(0, known.find('/')) == name;
  };
  return std::ranges::any_of(published_ops_names(), matches) ? std::optional(DocumentKind::kOperations)
                                                             : std::nullopt;
}

/// Returns nothing for a run that is left out.
std::optional<RunRecord> read_run(const Source& source, Selection selection) {
  const Wanted wanted{DocumentKind::kRun, selection};
  if (source.path.empty()) {
    if (published_kind(source.published) != DocumentKind::kOperations) return published_run(source.published);
    return leave_out(source, DocumentKind::kOperations, wanted);
  }
  std::optional<RunRecord> run = read_file(source, wanted, run_from_json);
  if (!run || !run->cases.empty()) return run;
  if (selection == Selection::kUsable) return leave_out(source, "it is a run without cases");
  throw Error(ErrorKind::kData, "{}: has no cases, so a gate cannot judge it", source.path.string());
}

std::optional<RunRecord> read_ops(const Source& source, Selection selection) {
  const Wanted wanted{DocumentKind::kOperations, selection};
  if (!source.path.empty()) return read_file(source, wanted, ops_from_json);
  if (published_kind(source.published) == DocumentKind::kRun)
    return leave_out(source, DocumentKind::kRun, wanted);
  std::vector<RunRecord> backends = published_ops(source.published);
  RunRecord whole = std::move(backends.front());
  for (std::size_t i = 1; i < backends.size(); ++i)
    append(whole.operations, std::move(backends[i].operations));
  return whole;
}

bool has_good_case(const std::optional<RunRecord>& run) {
  return run && std::ranges::count(run->cases, RowStatus::kOk, &CaseRecord::status) > 0;
}

}  // namespace

std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs, Selection selection) {
  const std::vector<Source> sources = list_sources(inputs);
  auto runs = mapped(sources, [&](const Source& source) { return read_run(source, selection); });
  if (selection == Selection::kUsable && std::ranges::any_of(runs, has_good_case)) {
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (runs[i] && !has_good_case(runs[i]))
        runs[i] = leave_out(sources[i], "it is a run without an ok case");
    }
  }
  return named_records(sources, runs, DocumentKind::kRun);
}

std::vector<Candidate> load_candidates(const std::vector<std::string>& inputs, Selection selection) {
  return candidates_in(load_runs(inputs, selection));
}

std::vector<Candidate> candidates_in(const std::vector<NamedRun>& runs) {
  std::vector<Candidate> candidates;
  for (const NamedRun& run : runs) append(candidates, make_candidates(run.run, run.name));
  return candidates;
}

DocumentKind compared_kind(const std::vector<std::string>& inputs) {
  const std::vector<Source> sources = list_sources(inputs);
  for (const Source& source : sources) {
    if (!source.path.empty()) continue;
    if (const auto kind = published_kind(source.published)) return *kind;
  }
  bool has_ops = false;
  for (const Source& source : sources) {
    const std::optional<DocumentKind> kind = detect_kind(source);
    if (kind == DocumentKind::kRun) return DocumentKind::kRun;
    has_ops = has_ops || kind == DocumentKind::kOperations;
  }
  return has_ops ? DocumentKind::kOperations : DocumentKind::kRun;
}

std::vector<NamedRun> load_ops(const std::vector<std::string>& inputs, Selection selection) {
  const std::vector<Source> sources = list_sources(inputs);
  auto tables = mapped(sources, [&](const Source& source) { return read_ops(source, selection); });
  return named_records(sources, tables, DocumentKind::kOperations);
}

}  // namespace gpubench
