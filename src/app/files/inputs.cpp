#include "app/files/inputs.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "compare/published.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "record/document/document_file.h"
#include "record/document/record_json.h"

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
  std::sort(sources.begin(), sources.end(), [](const Source& a, const Source& b) { return a.path < b.path; });
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

/// Prints that it is not used. Returns nothing, as a reader does then.
std::nullopt_t leave_out(const Source& source, const std::string& why) {
  log_info("{} is left out: {}", source.path.empty() ? source.name() : source.path.string(), why);
  return std::nullopt;
}

/// Subject and inputs of a comparison.
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

/// A file that is not a document of gpubench.
[[noreturn]] void refuse_unknown(const Source& source, DocumentKind wanted) {
  const bool is_of_run = wanted == DocumentKind::kRun;
  throw Error(ErrorKind::kData, "{}: has no {}; name {} that gpubench wrote", source.path.string(),
              is_of_run ? "cases" : "operations", words_for(wanted));
}

/// The record in a file; nothing for one of another kind, and for what lies in a folder and cannot be read,
/// which are left out.
template <class Record>
std::optional<Record> read_file(const Source& source, const Wanted& wanted,
                                Record (*from_json)(const Json&)) {
  try {
    const Json document = read_document(source.path);
    const DocumentKind found = document_kind(document);
    const bool is_known = found != DocumentKind::kRun || document.contains("cases");
    if (!is_known) refuse_unknown(source, wanted.kind);
    if (found != wanted.kind) return leave_out(source, found, wanted);
    try {
      return from_json(document);
    } catch (const Error& error) {
      throw Error(error.kind(), "{}: {}", source.path.string(), error.what());
    }
  } catch (const Error& error) {
    if (!source.is_optional || error.kind() != ErrorKind::kData) throw;
    log_info(std::string(error.what()) + "; left out");
    return std::nullopt;
  }
}

/// Calls `work` with each number below `count`, on all cores. The first exception is thrown here.
void for_each_number(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> next = 0;
  const auto loop = [&] {
    for (std::size_t i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::future<void>> others;
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  for (std::size_t i = 1; i < std::min(cores, count); ++i)
    others.push_back(std::async(std::launch::async, loop));
  loop();
  for (std::future<void>& other : others) other.get();
}

/// Of a file; nothing where it does not look like a document. A thousand results are asked: only one that has
/// a word of other kinds in it is parsed twice.
std::optional<DocumentKind> detect_kind(const Source& source) {
  std::error_code ignored;
  if (!fs::is_regular_file(source.path, ignored)) return std::nullopt;
  try {
    const std::string text = read_document_text(source.path);
    const auto has = [&](const std::string& key) { return text.find('"' + key + '"') != std::string::npos; };
    if (has("operations") || has("points") || has("checks")) return document_kind(parse_document(text));
    return has("cases") ? std::optional(DocumentKind::kRun) : std::nullopt;
  } catch (const Error&) {
    return std::nullopt;
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

/// Of published figures; nothing for a name that is not known.
std::optional<DocumentKind> published_kind(const std::string& name) {
  if (is_ops_publication(name)) return DocumentKind::kOperations;
  const std::vector<std::string> runs = published_names();
  return std::ranges::find(runs, name) != runs.end() ? std::optional(DocumentKind::kRun) : std::nullopt;
}

/// Nothing for what is left out.
std::optional<RunRecord> read_run(const Source& source, Selection selection) {
  const Wanted wanted{DocumentKind::kRun, selection};
  if (source.path.empty()) {
    if (!is_ops_publication(source.published)) return published_run(source.published);
    return leave_out(source, DocumentKind::kOperations, wanted);
  }
  std::optional<RunRecord> run = read_file(source, wanted, run_from_json);
  if (!run || !run->cases.empty()) return run;
  if (selection == Selection::kUsable) return leave_out(source, "it is a run without cases");
  throw Error(ErrorKind::kData, "{}: has no cases, so a gate cannot judge it", source.path.string());
}

/// All backends of a machine, as one measured there has them.
OpsRecord published_table(const std::string& name) {
  std::vector<OpsRecord> tables = published_ops(name);
  OpsRecord whole = std::move(tables.front());
  for (std::size_t i = 1; i < tables.size(); ++i) append(whole.rows, std::move(tables[i].rows));
  return whole;
}

std::optional<OpsRecord> read_ops(const Source& source, Selection selection) {
  const Wanted wanted{DocumentKind::kOperations, selection};
  if (!source.path.empty()) return read_file(source, wanted, ops_from_json);
  if (published_kind(source.published) != DocumentKind::kRun) return published_table(source.published);
  return leave_out(source, DocumentKind::kRun, wanted);
}

/// Leaves out the runs of which no case is ok, where another has one.
template <class Run, class HasGood>
void leave_out_failed(const std::vector<Source>& sources, std::vector<std::optional<Run>>& runs,
                      HasGood has_good) {
  const auto is_good = [&](const std::optional<Run>& run) { return run && has_good(*run); };
  if (std::ranges::none_of(runs, is_good)) return;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i] && !is_good(runs[i])) runs[i] = leave_out(sources[i], "it is a run without an ok case");
  }
}

/// Throws a data Error where nothing is left.
template <class Record>
void require_any(const std::vector<std::optional<Record>>& records, DocumentKind wanted) {
  if (std::ranges::any_of(records, [](const std::optional<Record>& record) { return record.has_value(); }))
    return;
  throw Error(ErrorKind::kData, "no file is {}; name one that gpubench -o wrote", words_for(wanted));
}

}  // namespace

std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs) {
  const std::vector<Source> sources = list_sources(inputs);
  std::vector<std::optional<RunRecord>> runs =
      mapped(sources, [](const Source& source) { return read_run(source, Selection::kUsable); });
  require_any(runs, DocumentKind::kRun);
  leave_out_failed(sources, runs, [](const RunRecord& run) {
    return std::ranges::find(run.cases, RowStatus::kOk, &CaseRecord::status) != run.cases.end();
  });
  std::vector<NamedRun> named;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (runs[i]) named.push_back({sources[i].name(), std::move(*runs[i])});
  }
  return named;
}

std::vector<Candidate> load_contenders(const std::vector<std::string>& inputs, Selection selection) {
  using Contenders = std::vector<Candidate>;
  const std::vector<Source> sources = list_sources(inputs);
  std::vector<std::optional<Contenders>> parts(sources.size());
  for_each_number(sources.size(), [&](std::size_t i) {
    if (const auto run = read_run(sources[i], selection)) parts[i] = make_candidates(*run, sources[i].name());
  });
  require_any(parts, DocumentKind::kRun);
  if (selection == Selection::kUsable) {
    leave_out_failed(sources, parts, [](const Contenders& part) {
      return std::ranges::any_of(part, [](const Candidate& one) { return count_of_good(one) > 0; });
    });
  }
  Contenders candidates;
  for (std::optional<Contenders>& part : parts) {
    if (part) append(candidates, std::move(*part));
  }
  return candidates;
}

DocumentKind document_kind_named(const std::string& name) {
  if (name == "runs") return DocumentKind::kRun;
  if (name == "operations") return DocumentKind::kOperations;
  throw Error(ErrorKind::kUsage, "--figures " + name + ": give runs or operations");
}

DocumentKind compared_kind(const std::vector<std::string>& inputs) {
  const std::vector<Source> sources = list_sources(inputs);
  for (const Source& source : sources) {
    const auto kind = source.path.empty() ? published_kind(source.published) : std::nullopt;
    if (kind) return *kind;
  }
  bool has_ops = false;
  for (const Source& source : sources) {
    const std::optional<DocumentKind> kind = detect_kind(source);
    if (kind == DocumentKind::kRun) return DocumentKind::kRun;
    has_ops = has_ops || kind == DocumentKind::kOperations;
  }
  return has_ops ? DocumentKind::kOperations : DocumentKind::kRun;
}

std::vector<NamedOps> load_ops(const std::vector<std::string>& inputs, Selection selection) {
  const std::vector<Source> sources = list_sources(inputs);
  std::vector<std::optional<OpsRecord>> tables =
      mapped(sources, [&](const Source& source) { return read_ops(source, selection); });
  require_any(tables, DocumentKind::kOperations);
  std::vector<NamedOps> named;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (tables[i]) named.push_back({sources[i].name(), std::move(*tables[i])});
  }
  return named;
}

}  // namespace gpubench
