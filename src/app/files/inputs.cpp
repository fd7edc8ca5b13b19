#include "app/files/inputs.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <iterator>
#include <optional>
#include <thread>

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

std::vector<Source> sources_of(const std::vector<std::string>& inputs) {
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

RunRecord read(const Source& source) {
  if (source.path.empty()) return published_run(source.published);
  RunRecord run = read_run_file(source.path);
  if (!run.cases.empty()) return run;
  throw Error(ErrorKind::kData, "{}: has no cases; name the result of a run", source.path.string());
}

/// Nothing for what lies in a folder and is no result.
std::optional<RunRecord> try_read(const Source& source) {
  try {
    return read(source);
  } catch (const Error& error) {
    if (!source.is_optional || error.kind() != ErrorKind::kData) throw;
    say(std::string(error.what()) + "; passed over");
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
  for (std::size_t i = 1; i < tables.size(); ++i) append(whole.ops.rows, std::move(tables[i].rows));
  return whole;
}

[[noreturn]] void refuse(const std::string& input, const std::string& what) {
  throw Error(ErrorKind::kUsage,
              "{}: {}; tables of operations compare with files of 'gpubench "
              "ops' and published ones alone",
              input, what);
}

NamedOps read(const std::string& input) {
  if (is_published(input)) return published_table(input);
  if (std::error_code ignored; fs::is_directory(input, ignored)) refuse(input, "is a folder");
  const Json document = read_document(input);
  if (!is_ops_document(document)) refuse(input, "is no table of operations");
  try {
    return {fs::path(input).filename().string(), ops_from_json(document)};
  } catch (const Error& error) {
    throw Error(error.kind(), "{}: {}", input, error.what());
  }
}

}  // namespace

std::vector<NamedRun> load_runs(const std::vector<std::string>& inputs) {
  std::vector<NamedRun> runs;
  for (const Source& source : sources_of(inputs)) {
    if (auto run = try_read(source)) runs.push_back({source.name(), std::move(*run)});
  }
  return runs;
}

std::vector<Contender> load_contenders(const std::vector<std::string>& inputs, bool needs_intervals) {
  const std::vector<Source> sources = sources_of(inputs);
  const bool is_brief = sources.size() > kMostWithIntervals && !needs_intervals;
  const Intervals intervals = is_brief ? Intervals::kLeftOut : Intervals::kComputed;
  std::vector<std::vector<Contender>> parts(sources.size());
  for_each_number(sources.size(), [&](std::size_t i) {
    if (const auto run = try_read(sources[i])) parts[i] = contenders_of(*run, sources[i].name(), intervals);
  });
  std::vector<Contender> contenders;
  for (std::vector<Contender>& part : parts) append(contenders, std::move(part));
  return contenders;
}

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
      say("{} is left out: it is {}, not {}", input, words_for(found), words_for(kind));
    }
  }
  if (!wanted.empty()) return wanted;
  throw Error(ErrorKind::kData, "no file is {}; name one that gpubench -o wrote", words_for(kind));
}

bool are_ops(const std::vector<std::string>& inputs) {
  if (std::any_of(inputs.begin(), inputs.end(), is_ops_file)) return true;
  return std::any_of(inputs.begin(), inputs.end(), [](const std::string& input) {
    return is_published(input) && is_ops_publication(name_in(input));
  });
}

std::vector<NamedOps> load_ops(const std::vector<std::string>& inputs) {
  return mapped(inputs, [](const std::string& input) { return read(input); });
}

}  // namespace gpubench
