#include "app/files/result_inputs.h"

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <functional>
#include <future>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include "compare/published.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "record/document/run_file.h"

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
  throw Error(ErrorKind::kUsage,
              fmt::format("{}: no .json file is in this folder; name one that has results", folder.string()));
}

std::vector<Source> sources_of(const std::vector<std::string>& inputs) {
  std::vector<Source> sources;
  for (const std::string& input : inputs) {
    if (input.starts_with(kPublished)) {
      sources.push_back({{}, input.substr(kPublished.size())});
    } else if (std::error_code ignored; fs::is_directory(input, ignored)) {
      const std::vector<Source> more = sources_in(input);
      sources.insert(sources.end(), more.begin(), more.end());
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
  throw Error(ErrorKind::kData,
              fmt::format("{}: has no cases; name the result of a run", source.path.string()));
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
  for (std::vector<Contender>& part : parts) {
    contenders.insert(contenders.end(), std::make_move_iterator(part.begin()),
                      std::make_move_iterator(part.end()));
  }
  return contenders;
}

}  // namespace gpubench
