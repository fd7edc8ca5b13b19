#include <algorithm>
#include <filesystem>
#include <set>

#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/commands/stored_series.h"
#include "app/files/inputs.h"
#include "app/files/result_file.h"
#include "app/run/terminal.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/error.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/quantities.h"
#include "gpubench/report_writer.h"
#include "history/history.h"
#include "history/history_page.h"
#include "record/document/json.h"
#include "record/document/record_json.h"
#include "store/store.h"

namespace gpubench::history_plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunList = "list runs with 'gpubench history list --runs'";

/// Options of all subcommands.
struct Options {
  std::string store;               ///< File; empty: the store of this host.
  std::string format = "txt";      ///< Name of a report format.
  std::vector<std::string> words;  ///< Operands.
  DocumentOutput to;
  bool shows_runs = false;
  std::vector<std::string> metrics{""};
  std::int64_t most = 30;  ///< Number of runs to show.
  bool is_all = false;
  std::string before;
  std::string series;
  bool is_dry_run = false;
};

void print_page(const Page& page, const std::string& format) {
  print(render_for_stdout(page, report_formats().require(format, "--format")));
}

HistorySeries choose_series(const Store& store, const std::vector<std::string>& words) {
  const std::vector<HistorySeries> all = load_series(store);
  const std::string text = join(words, " ");
  if (const std::optional<std::int64_t> number = parse_whole(text)) {
    const auto found = std::ranges::find(all, *number, &HistorySeries::id);
    if (found != all.end()) return *found;
  }
  const std::vector<HistorySeries> matches = find_matches(all, words);
  if (matches.size() == 1) return matches.front();
  constexpr std::size_t kMostListed = 5;
  std::vector<std::string> names =
      mapped(matches, [](const HistorySeries& one) { return fmt::format("{} ({})", one.id, one.name); });
  const std::size_t more = names.size() - std::min(names.size(), kMostListed);
  names.resize(names.size() - more);
  throw Error(ErrorKind::kUsage, "series '{}': {} series match: {}{}; add words, or give a number", text,
              matches.size(), join(names), more > 0 ? fmt::format(" and {} more", more) : "");
}

/// Returns the run with this number in the store, or with this run_id.
RunId find_run(const std::vector<StoredRun>& runs, const std::string& word) {
  const auto found = std::ranges::find_if(
      runs, [&](const StoredRun& run) { return run.run_id == word || std::to_string(run.id) == word; });
  require(found != runs.end(), "run {}: is not in the store; {}", word, kRunList);
  return found->id;
}

ExitCode list(const Options& options) {
  return with_store(find_existing_store(options.store), [&](const fs::path& path) {
    const auto store = open_indexed(path);
    const auto make_line = [&](const StoredRun& run) {
      return RunLine{run, run.finished_at.empty() && store->is_claimed(run.id)};
    };
    print_page(
        options.shows_runs ? run_list_page(mapped(store->runs(), make_line)) : series_list_page(*store),
        options.format);
    return ExitCode::kOk;
  });
}

ExitCode show(const Options& options) {
  require(options.most > 0, "--last 0: shows no run; give 1 or more");
  const auto metrics =
      mapped(options.metrics, [](const std::string& word) { return choose_metrics(word, "--metric"); });
  return with_store(find_existing_store(options.store), [&](const fs::path& path) {
    const auto store = open_indexed(path);
    print_page(series_page(*store, choose_series(*store, options.words), metrics, options.most),
               options.format);
    return ExitCode::kOk;
  });
}

/// Returns "2026-11-26T06-34-09Z-desk-cpu-1a2b3c4d.json". The ID distinguishes runs of the same second.
std::string export_name(const RunRecord& run) {
  constexpr std::size_t kDigits = 8;
  const std::string devices = join(mapped(run.environment.devices, &DeviceRecord::name), "+");
  const std::string id = run.tool.run_id.value_or("").substr(0, kDigits);
  return result_name(run.tool.started_at, run.environment.host, {devices + "-" + id});
}

/// Writes each run to a file in the folder. Reports and skips unreadable runs.
ExitCode export_all(const Store& store, const DocumentOutput& to) {
  require(!to.output.empty() && to.output != "-", "--all: writes a file per run; name a folder with -o");
  std::size_t written = 0;
  const std::vector<StoredRun> runs = store.runs();
  for (const StoredRun& one : runs) {
    std::optional<RunRecord> run;
    try {
      run = store.load_run(one.id);
    } catch (const Error& error) {
      log_info("run {}: {}; skipped", one.id, error.what());
      continue;
    }
    ResultFile((fs::path(to.output) / export_name(*run)).string(), "", to.overwrites)
        .save(run_document(*run));
    ++written;
  }
  print("{} of {} runs exported to {}\n", written, runs.size(), to.output);
  return written == runs.size() ? ExitCode::kOk : ExitCode::kData;
}

ExitCode export_runs(const Options& options) {
  require(options.is_all == options.words.empty(), "history export: give one run, or --all; {}", kRunList);
  require(options.words.size() < 2, "history export: give only one run, or --all and a folder");
  return with_store(find_existing_store(options.store), [&](const fs::path& path) {
    const Store store(path, Database::Access::kRead);
    if (options.is_all) return export_all(store, options.to);
    const RunRecord run = store.load_run(find_run(store.runs(), options.words.front()));
    write_document(options.to, export_name(run), run_document(run));
    return ExitCode::kOk;
  });
}

/// Reads a run of any workload; reports and skips other documents. Throws a data Error for published figures.
std::optional<RunRecord> read_measured_run(const fs::path& file) {
  return read_document_as(file, [&](const Json& document) -> std::optional<RunRecord> {
    const DocumentKind kind = document_kind(document);
    if (kind != DocumentKind::kRun && kind != DocumentKind::kOperations) {
      log_info("{}: skipped: is {}, not a run", file.string(), to_string(kind));
      return std::nullopt;
    }
    RunRecord run = any_run_from_json(document);
    if (run.is_changed)
      log_info("{0}: content_sha256 does not match; see 'gpubench file validate {0}'", file.string());
    if (run.published) throw Error(ErrorKind::kData, "is a published result, not measured by gpubench");
    constexpr std::size_t kDigits = 32;
    if (!run.tool.run_id.has_value()) run.tool.run_id = content_hash(document).substr(0, kDigits);
    return run;
  });
}

/// Returns true if the store lacks the run, or has an incomplete copy that no process is writing.
bool is_wanted(Store& store, const RunRecord& run) {
  const std::optional<RunId> known = store.find_run(run.tool.run_id.value());
  if (!known) return true;
  const bool is_complete = store.load_header(*known).tool.finished_at.has_value();
  return !is_complete && run.tool.finished_at.has_value() && !store.is_claimed(*known);
}

ExitCode import_files(const Options& options) {
  const std::vector<std::string> files = list_input_files(options.words);
  return with_store(require_store_path(options.store), [&](const fs::path& path) {
    Store store(path);
    std::size_t added = 0;
    std::size_t known = 0;
    std::size_t refused = 0;
    for (const std::string& file : files) {
      try {
        const std::optional<RunRecord> run = read_measured_run(file);
        if (!run) continue;
        const bool is_new = is_wanted(store, *run);
        if (is_new) store.import_run(*run, fs::absolute(file).string());
        ++(is_new ? added : known);
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::kData) throw;
        log_info(error.what());
        ++refused;
      }
    }
    index_runs(store);
    print("{} added, {} already in the store, {} refused: {}\n", added, known, refused, path.string());
    return refused == 0 && added + known > 0 ? ExitCode::kOk : ExitCode::kData;
  });
}

std::vector<StoredRun> choose_runs(const Store& store, const Options& options) {
  std::vector<StoredRun> runs = store.runs();
  std::set<RunId> chosen;
  for (const std::string& word : options.words) chosen.insert(find_run(runs, word));
  if (!options.series.empty()) {
    Statement query = store.database().query("SELECT DISTINCT run FROM point WHERE series = ?",
                                             choose_series(store, {options.series}).id);
    while (query.step()) chosen.insert(query.integer(0));
  }
  std::erase_if(runs, [&](const StoredRun& run) {
    return options.before.empty() ? !chosen.contains(run.id) : run.started_at >= options.before;
  });
  return runs;
}

ExitCode remove_chosen(Store& store, const std::vector<StoredRun>& runs) {
  Transaction transaction(store.database());
  for (const StoredRun& run : runs) store.remove_run(run.id);
  transaction.commit();
  print("{} runs removed from {}\n", runs.size(), store.path().string());
  try {
    store.compact();
  } catch (const DatabaseError& error) {
    log_info("store {}: cannot be compacted: {}", store.path().string(), error.what());
  }
  return ExitCode::kOk;
}

ExitCode remove_runs(const Options& options) {
  const auto ways = static_cast<int>(!options.words.empty()) + static_cast<int>(!options.before.empty()) +
                    static_cast<int>(!options.series.empty());
  require(ways == 1, "history remove: give runs, --before or --series; {}", kRunList);
  if (!options.before.empty()) require_date("--before", options.before);
  return with_store(find_existing_store(options.store), [&](const fs::path& path) {
    Store store(path);
    index_runs(store);
    const std::vector<StoredRun> runs = choose_runs(store, options);
    for (const StoredRun& run : runs)
      require(!store.is_claimed(run.id), "run {}: is still running; stop it first, or leave it out", run.id);
    if (!options.is_dry_run) return remove_chosen(store, runs);
    if (runs.empty())
      print_line("No run matches.");
    else
      print_page(run_list_page(mapped(runs, [](const StoredRun& run) { return RunLine{run}; })), "txt");
    return ExitCode::kOk;
  });
}

std::int64_t count(const Store& store, const char* sql) {
  Statement query = store.database().query(sql);
  return query.step() ? query.integer(0) : 0;
}

ExitCode print_check(Store& store) {
  const fs::path& path = store.path();
  const std::vector<std::string> faults = store.check();
  const auto bytes = static_cast<double>(fs::file_size(path));
  print_line(fmt::format("store      {}", path.string()));
  print("version    {}\nsize       {}\n", store.version(), prefixed_text(bytes, "B"));
  print("integrity  {}\n", faults.empty() ? "ok" : fmt::format("{} faults", faults.size()));
  for (const std::string& fault : faults) print_line("  " + fault);
  if (!faults.empty()) {
    print_line(
        fmt::format("To repair it, run 'gpubench history export --all -o saved', move {} away, and run "
                    "'gpubench history import saved'",
                    path.string()));
    return ExitCode::kData;
  }
  std::size_t unfinished = 0;
  std::size_t running = 0;
  const std::vector<StoredRun> runs = store.runs();
  for (const StoredRun& run : runs) {
    if (run.finished_at.empty()) ++(store.is_claimed(run.id) ? running : unfinished);
  }
  print("runs       {} ({} unfinished, {} running)\n", runs.size(), unfinished, running);
  print("series     {}\n", count(store, "SELECT count(*) FROM series WHERE runs > 0"));
  print("facts      {}\n", count(store, "SELECT count(*) FROM fact"));
  return ExitCode::kOk;
}

ExitCode check(const Options& options) {
  const fs::path path = find_existing_store(options.store);
  try {
    Store store(path, Database::Access::kRead);
    return print_check(store);
  } catch (const DatabaseError& error) {
    print_line(
        fmt::format("store {}: {}; move it away, and run 'gpubench history import' with your result files",
                    path.string(), error.what()));
    return ExitCode::kData;
  }
}

void add_list(CommandParser& parser, Options& options) {
  parser.flag("--runs", "List the runs instead of the series", options.shows_runs);
  add_format(parser, options.format);
  parser.footer(
      "A series is one case on one machine over time.\n"
      "Examples:\n  gpubench history list\n  gpubench history list --runs --format csv > runs.csv");
}

void add_show(CommandParser& parser, Options& options) {
  parser.option("series", "SERIES ...", "Number of a series, or words of its name", options.words).required();
  parser.list("--metric", "NAME,...", "Metrics: keys, or time, memory, ... (default: main)", options.metrics)
      .offers(metric_words);
  parser.option("--last", "N", "Number of runs to show (default 30)", options.most);
  add_format(parser, options.format);
  parser.footer(
      "Examples:\n  gpubench history show 3\n"
      "  gpubench history show cnn bf16 --metric time,memory --format svg > cnn.svg");
}

void add_export(CommandParser& parser, Options& options) {
  parser.option("run", "RUN", "Number of a run, or its run_id", options.words);
  parser.flag("--all", "Export every run of the store", options.is_all);
  add_output(parser, "Output file or folder (default: stdout)", options.to.output, options.to.overwrites);
  parser.footer(
      "Examples:\n  gpubench history export 12 -o run.json\n  gpubench history export --all -o saved");
}

void add_import(CommandParser& parser, Options& options) {
  parser.option("files", "FILE ...", "Result files, or folders with result files", options.words).required();
  parser.footer(
      "Skips runs that are already in the store. Exit code 3: a file was refused.\n"
      "Example:\n  gpubench history import results/");
}

void add_remove(CommandParser& parser, Options& options) {
  parser.option("runs", "RUN ...", "Numbers of runs, or their run_id", options.words);
  parser.option("--before", "DATE", "Remove runs that started before this day (UTC)", options.before);
  parser.option("--series", "SERIES", "Remove all runs of this series (number or words)", options.series);
  parser.flag("--dry-run", "Print the runs; remove nothing", options.is_dry_run);
  parser.footer(
      "Does not delete result files.\n"
      "Examples:\n  gpubench history remove 12 13\n"
      "  gpubench history remove --before 2026-01-01 --dry-run");
}

void add_check(CommandParser& parser, Options& /*options*/) {
  parser.footer("Exit code 3: the store is damaged.\nExample:\n  gpubench history check");
}

void add_options(CommandParser& parser) {
  parser.footer(
      "A series is one case on one machine over time.\n"
      "Examples:\n  gpubench history list\n  gpubench history show 3");
  const auto add = [&](const char* name, const char* summary, const auto& add_own,
                       ExitCode (*run)(const Options&)) {
    CommandParser subcommand = parser.subcommand(name, summary);
    const auto options = std::make_shared<Options>();
    add_own(subcommand, *options);
    add_store_file(subcommand, options->store);
    subcommand.on_parsed([options, run] { return run(*options); });
  };
  add("list", "List the measured series, or the runs", add_list, list);
  add("show", "Show a series over time, and what changed between runs", add_show, show);
  add("export", "Write stored runs to result files", add_export, export_runs);
  add("import", "Add result files to the store", add_import, import_files);
  add("remove", "Remove runs from the store", add_remove, remove_runs);
  add("check", "Check the store for damage", add_check, check);
  parser.require_subcommand("history: no subcommand; name one, as in 'gpubench history list'");
}

}  // namespace

CommandEntry entry_history() {
  return {"history", "List and show earlier measurements of this machine", add_options};
}

}  // namespace gpubench::history_plugin
