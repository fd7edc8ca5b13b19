#include "engine/sweep/journal.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <new>
#include <span>
#include <string_view>
#include <thread>
#include <type_traits>

#include <fmt/format.h>

#include "engine/api/peak.h"
#include "engine/validation/plausibility.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/files.h"
#include "record/document/json.h"

namespace gpubench {

// wire.h finds these by argument-dependent lookup, so no anonymous namespace.
GPUBENCH_PARTS(PlannedRow, work, row)
GPUBENCH_PARTS(PlannedEvent, journal_version, tool, plan, environment, rows)
GPUBENCH_PARTS(AddedEvent, row)
GPUBENCH_PARTS(StartedEvent, position, at)
GPUBENCH_PARTS(EpochEvent, position, record)
GPUBENCH_PARTS(FinishedEvent, position, record)
GPUBENCH_PARTS(PeakEvent, device)
GPUBENCH_PARTS(EndedEvent, at)

namespace {

namespace fs = std::filesystem;

constexpr Bytes kLargestJournal{std::int64_t{4} << 30};  // 10 million epochs have 1 GB.
// A child of a gpubench that was killed shares its lock until it executes a program of its own.
constexpr Seconds kUntilReleased{3};
constexpr std::chrono::milliseconds kBetweenTries{10};

[[noreturn]] void fail(const fs::path& path, const std::string& why) {
  throw Error(ErrorKind::kUsage, "journal {}: {}", path.string(), why);
}

/// Returns false if another process keeps it. Succeeds on systems without locks.
bool try_lock(const FileDescriptor& file) {
  const Deadline deadline(kUntilReleased);
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    if (deadline.is_over()) return false;
    std::this_thread::sleep_for(kBetweenTries);
  }
  return true;
}

struct JournalText {
  std::string text;
  std::size_t whole = 0;  ///< Bytes of its whole lines; what follows them is torn.

  std::string_view lines() const { return std::string_view(text).substr(0, whole); }
};

JournalText read_journal_text(const fs::path& path) {
  Measured<std::string> found = read_outside_file(path, kLargestJournal);
  if (!found.has_value()) {
    throw Error(ErrorKind::kData, "journal {}: {}; give --resume a journal or its result", path.string(),
                found.reason());
  }
  std::string text = std::move(found).value();
  // Bytes that a power failure lost read as zeros; lines after these were not synced either.
  const std::size_t last_end = text.rfind('\n', text.find('\0'));
  return {std::move(text), last_end == std::string::npos ? 0 : last_end + 1};
}

constexpr int kVersion = 2;

constexpr std::array kEventNames{"planned", "added", "started", "epoch", "finished", "peak", "ended"};
constexpr const char* kEvent = "event";

/// Changes the state, in a run and in reading alike. Throws any exception for an event out of place.
struct Change {
  JournalState& state;

  void operator()(PlannedEvent&& event) const {
    if (!state.rows.empty()) throw Error(ErrorKind::kData, "the run is planned already");
    state.header = {std::move(event.tool), std::move(event.plan), std::move(event.environment)};
    for (PlannedRow& row : event.rows) state.rows.push_back({std::move(row)});
    state.planned = state.rows.size();
  }
  void operator()(AddedEvent&& event) const { state.rows.push_back({std::move(event.row)}); }
  void operator()(StartedEvent&& event) const {
    JournalRow& entry = state.rows.at(event.position);
    entry.so_far = entry.row;
    entry.result.reset();
    if (auto* const record = std::get_if<CaseRecord>(&*entry.so_far)) record->started_at = event.at;
    state.ended_at = missing("the run has not finished");
  }
  void operator()(EpochEvent&& event) const {
    auto* const record = std::get_if<CaseRecord>(&state.rows.at(event.position).so_far.value());
    if (record == nullptr) throw Error(ErrorKind::kData, "an operation has no epochs");
    add_epoch(*record, event.record);
  }
  void operator()(FinishedEvent&& event) const {
    state.rows.at(event.position).result = std::move(event.record);
  }
  void operator()(PeakEvent&& event) const {
    for (DeviceRecord& device : state.header.environment.devices) {
      if (device.name == event.device.name) improve_peak(event.device, device);
    }
  }
  void operator()(EndedEvent&& event) const { state.ended_at = event.at; }
};

void apply_line(JournalState& state, std::string_view line) {
  const Json json = parse_document(line);
  if (json.at(kEvent) == kEventNames.front() && json.at("journal_version") != kVersion)
    throw Error(ErrorKind::kData, "it was written by another version of gpubench; continue it with that one");
  std::visit(Change{state}, read_tagged<JournalEvent>(kEvent, kEventNames, json));
}

constexpr const char* kExtension = ".journal.jsonl";

JournalState make_state(const JournalText& text, const fs::path& path) {
  if (text.lines().empty()) {
    throw Error(ErrorKind::kData,
                "journal {}: holds no whole line, so there is nothing to continue; "
                "start the run again without --resume",
                path.string());
  }
  JournalState state;
  std::size_t number = 0;
  for (std::string_view rest = text.lines(); !rest.empty(); rest.remove_prefix(rest.find('\n') + 1)) {
    ++number;
    try {
      apply_line(state, rest.substr(0, rest.find('\n')));
    } catch (const std::bad_alloc&) {
      throw;  // Not the fault of the line.
    } catch (const std::exception& error) {
      throw Error(ErrorKind::kData, "journal {}: line {} cannot be used ({})", path.string(), number,
                  error.what());
    }
  }
  if (const std::size_t torn = text.text.size() - text.whole; torn > 0) {
    state.warning =
        fmt::format("journal {}: its last line is torn ({} bytes) and was dropped", path.string(), torn);
  }
  return state;
}

using Sentences = std::vector<std::string>;

void compare(Sentences& sentences, const std::string& what, const Json& then, const Json& now) {
  if (then == now) return;
  sentences.push_back(fmt::format("{}: {} in the journal, {} now", what, json_text(then), json_text(now)));
}

void compare_objects(Sentences& sentences, const std::string& what, const Json& then, const Json& now) {
  for (const auto& [key, value] : now.items())
    compare(sentences, what + ", " + key, then.value(key, Json()), value);
}

Json make_identity(const JournalHeader& header) {
  return {{"gpubench", header.tool.version},
          {"commit", header.tool.git_commit.has_value() ? header.tool.git_commit.value() : ""},
          {"order seed", header.plan.order_seed},
          {"host", header.environment.host},
          {"CPU", header.environment.cpu},
          {"threads", header.environment.threads},
          {"allocator", header.environment.allocator},
          {"LibTorch", header.environment.libtorch_version}};
}

Json list_devices(const Environment& environment) {
  Json devices = Json::object();
  for (const DeviceRecord& device : environment.devices) devices[device.name] = device.model;
  return devices;
}

Json list_datasets(const Environment& environment) {
  Json datasets = Json::object();
  for (const DatasetRecord& dataset : environment.datasets) {
    Json content = dataset.is_synthetic ? Json::array({"synthetic"}) : Json::array();
    for (const DataFileRecord& file : dataset.files) content.push_back(file.sha256);
    datasets[dataset.name] = content;
  }
  return datasets;
}

}  // namespace

/// A file open for appending, and locked against a second gpubench.
class JournalFile {
 public:
  /// Opens or makes the file. Throws a usage Error if that fails or another process has it.
  explicit JournalFile(const fs::path& path) : path_(path) {
    std::error_code error;
    if (path.has_parent_path()) fs::create_directories(path.parent_path(), error);
    if (error) fail(path, error.message() + "; give --output a folder that you can write to");
    file_.reset(open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0644));
    struct stat status {};
    if (!file_.is_open() || fstat(file_.get(), &status) != 0)
      fail(path, std::string(std::strerror(errno)) + "; give --output a file that you can write");
    if (!S_ISREG(status.st_mode)) fail(path, "is no regular file; give another --output");
    if (!try_lock(file_))
      fail(path, "another gpubench is writing to it; wait for it, or give another --output");
    sync_parent_folder(path);
  }

  /// Continues after the first `kept` bytes and drops the rest. Throws a usage Error on failure.
  void cut(std::size_t kept) {
    if (!cut_to(kept)) fail(path_, std::strerror(errno));
    size_ = kept;
  }

  void remove_if_empty() const {
    struct stat status {};
    if (fstat(file_.get(), &status) == 0 && status.st_size == 0) unlink(path_.c_str());
  }

  /// Appends the line, after those that failed before. `is_synced`: waits for the disk.
  void append(const std::string& line, bool is_synced) {
    pending_ += line + "\n";
    failure_ = dropped_;
    if (!write_all(file_.get(), pending_)) {
      failure_ = std::strerror(errno);
      cut_to(size_);  // Half a line would make the next one unreadable.
      return;
    }
    size_ += pending_.size();
    pending_.clear();
    if (is_synced && !sync_file(file_.get())) failure_ = dropped_ = std::strerror(errno);
  }

  const std::string& failure() const { return failure_; }

 private:
  /// Ends the file there, for the next line. False leaves errno set.
  bool cut_to(std::size_t size) const {
    const auto end = static_cast<off_t>(size);
    struct stat status {};
    const bool is_unchanged = fstat(file_.get(), &status) == 0 && status.st_size == end;
    // An unchanged file keeps its time of change.
    return (is_unchanged || ftruncate(file_.get(), end) == 0) && lseek(file_.get(), end, SEEK_SET) == end;
  }

  fs::path path_;
  FileDescriptor file_;
  std::size_t size_ = 0;  // Of the whole lines in the file.
  std::string pending_;   // Lines that are not in the file yet.
  std::string failure_;
  std::string dropped_;  // Stays after a failed sync: its lines may be lost for good.
};

RowWords find_words(const PlanRecord& plan) {
  if (plan.is_of_operations()) return {"operations", "row", "gpubench ops"};
  return {"trainings", "case", "gpubench"};
}

RunRecord make_document(const JournalState& state) {
  RunRecord document{state.header.tool, state.header.plan, state.header.environment, {}, {}, {}};
  document.tool.finished_at = state.ended_at;
  for (const JournalRow& entry : state.rows) {
    Result result = entry.result ? *entry.result : entry.so_far.value_or(entry.row);
    if (!entry.result) {
      RowRecord& row = get_row(result);
      row.status = RowStatus::kInterrupted;
      row.status_reason = fmt::format("the run ended {} this {} {}", entry.so_far ? "while" : "before",
                                      find_words(document.plan).row, entry.so_far ? "was running" : "began");
    }
    if (auto* const of_case = std::get_if<CaseRecord>(&result))
      document.cases.push_back(std::move(*of_case));
    else
      document.operations.push_back(std::move(std::get<OpRecord>(result)));
  }
  clamp_to_peaks(document);
  return document;
}

void Journal::refuse_unfinished(const fs::path& path) {
  const JournalText text = read_journal_text(path);
  if (text.lines().empty()) return;  // Its run was killed before its first line.
  JournalState state;
  try {
    state = make_state(text, path);
  } catch (const Error& error) {
    throw Error(ErrorKind::kUsage,
                "--output {}: what would be overwritten cannot be read ({}); remove it, or "
                "give another --output, or --force",
                result_path(path).string(), error.what());
  }
  if (state.ended_at.has_value()) return;
  const auto has_ended = [](const JournalRow& entry) { return entry.result.has_value(); };
  const RowWords words = find_words(state.header.plan);
  throw Error(ErrorKind::kUsage,
              "--output {}: holds a run that was broken off with {} of {} {}s done; continue it with "
              "'{} --resume {}', or give --force",
              result_path(path).string(), std::ranges::count_if(state.rows, has_ended), state.rows.size(),
              words.row, words.command, result_path(path).string());
}

Journal Journal::create(const fs::path& path, const JournalHeader& header, std::vector<PlannedRow> rows,
                        const std::function<void()>& check) {
  Journal journal;
  if (!path.empty()) {
    journal.file_ = std::make_shared<JournalFile>(path);
    try {
      check();
    } catch (...) {
      journal.file_->remove_if_empty();
      throw;
    }
    journal.file_->cut(0);
  }
  journal.add(PlannedEvent{kVersion, header.tool, header.plan, header.environment, std::move(rows)});
  if (!journal.failure().empty()) {
    throw Error(ErrorKind::kUsage,
                "journal {}: cannot be written ({}); free some space, or give another "
                "--output",
                path.string(), journal.failure());
  }
  return journal;
}

Journal Journal::resume(const fs::path& path) {
  // Before it is opened for writing, so that another file stays as it is.
  read_journal(path);
  Journal journal;
  journal.file_ = std::make_shared<JournalFile>(path);
  // Another gpubench may have added lines until it was locked.
  const JournalText text = read_journal_text(path);
  journal.state_ = make_state(text, path);
  journal.file_->cut(text.whole);
  return journal;
}

std::string Journal::failure() const { return file_ ? file_->failure() : ""; }

void Journal::add(const JournalEvent& event) {
  // Through the text, so that memory and file agree.
  const std::string line = json_text(tagged_json(kEvent, kEventNames, event));
  apply_line(state_, line);
  if (file_) file_->append(line, /*is_synced=*/!std::holds_alternative<EpochEvent>(event));
}

std::size_t Journal::add_row(const Work& work, const Result& row) {
  add(AddedEvent{{to_json(work), row}});
  return state_.rows.size() - 1;
}

JournalState read_journal(const fs::path& path) { return make_state(read_journal_text(path), path); }

void require_kind(const JournalState& state, const fs::path& path, bool is_of_operations) {
  if (state.header.plan.is_of_operations() == is_of_operations) return;
  const RowWords words = find_words(state.header.plan);
  throw Error(ErrorKind::kData, "journal {}: it is a journal of {}; continue it with '{} --resume'",
              path.string(), words.rows, words.command);
}

std::vector<std::string> differences(const JournalState& state, const JournalHeader& now,
                                     const std::vector<Work>& work) {
  constexpr std::size_t kMostDifferences = 5;  // Of the work; more would hide the rest.
  Sentences sentences;
  const Environment& then = state.header.environment;
  compare_objects(sentences, "run", make_identity(state.header), make_identity(now));
  compare_objects(sentences, "device", list_devices(then), list_devices(now.environment));
  // A log may later give the energy of one board.
  for (const DeviceRecord& device : now.environment.devices) {
    const auto known = std::ranges::find(then.devices, device.name, &DeviceRecord::name);
    if (known != then.devices.end() && known->uuid.has_value() && device.uuid.has_value())
      compare(sentences, "device, UUID of " + device.name, known->uuid.value(), device.uuid.value());
  }
  compare_objects(sentences, "dataset", list_datasets(then), list_datasets(now.environment));
  const std::string kind = find_words(now.plan).row;
  compare(sentences, kind + "s", state.planned, work.size());
  Sentences found;
  for (std::size_t i = 0; i < std::min(state.planned, work.size()); ++i)
    compare_objects(found, fmt::format("{} {}", kind, i + 1), state.rows[i].work, to_json(work[i]));
  const std::size_t shown = std::min(found.size(), kMostDifferences);
  append(sentences, std::span(found).first(shown));
  if (shown < found.size()) sentences.push_back(fmt::format("and {} more", found.size() - shown));
  return sentences;
}

fs::path journal_path(const fs::path& result) {
  if (result.string().ends_with(kExtension)) return result;
  fs::path path = result;
  if (path.extension() == ".json") path.replace_extension();
  path += kExtension;
  return path;
}

fs::path result_path(const fs::path& journal) {
  std::string text = journal.string();
  if (!text.ends_with(kExtension)) return journal;
  text.resize(text.size() - std::string(kExtension).size());
  return text + ".json";
}

}  // namespace gpubench
