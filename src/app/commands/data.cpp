#include "app/command.h"
#include "app/commands/common_options.h"
#include "app/run/terminal.h"
#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"
#include "gpubench/core/text/figures.h"
#include "gpubench/core/text/utf8.h"

namespace gpubench::data_plugin {
namespace {

struct Options {
  std::vector<std::string> names;  ///< Empty: all.
  std::string data_dir;
  bool is_quiet = false;
};

/// Returns the named datasets; without names, all that can be downloaded.
std::vector<const DatasetEntry*> chosen(const std::vector<std::string>& names) {
  auto entries = mapped(names, [](const std::string& name) { return &datasets().require(name, "data"); });
  if (!names.empty()) return entries;
  for (const DatasetEntry& entry : datasets()) {
    if (!entry.files.empty()) entries.push_back(&entry);
  }
  return entries;
}

/// Calls `work` for each dataset, even after an error. Prints errors, and returns the exit code of the first.
template <class Work>
ExitCode for_each(const std::vector<const DatasetEntry*>& entries, const Work& work) {
  ExitCode code = ExitCode::kOk;
  for (const DatasetEntry* entry : entries) {
    try {
      work(*entry);
    } catch (const Error& error) {
      log_info(error.what());
      if (code == ExitCode::kOk) code = exit_code(error.kind());
    }
  }
  return code;
}

ExitCode fetch(const Options& options) {
  const auto folder = data_directory(options.data_dir);
  return for_each(chosen(options.names), [&](const DatasetEntry& entry) {
    fetch_dataset(entry, folder, download_progress(options.is_quiet));
    if (!options.is_quiet) log_info(entry.name + ": complete in " + dataset_folder(entry, folder).string());
  });
}

ExitCode verify(const Options& options) {
  const auto folder = data_directory(options.data_dir);
  std::vector<const DatasetEntry*> entries = chosen(options.names);
  if (options.names.empty()) {
    std::erase_if(entries,
                  [&](const auto* entry) { return !entry->is_present(dataset_folder(*entry, folder)); });
    if (entries.empty()) {
      throw Error(ErrorKind::kData, "{}: has no dataset; download one with 'gpubench data fetch'",
                  folder.string());
    }
  }
  TextTable table({{"dataset"}, {"file"}, {"bytes", Align::kRight}, {"provenance"}, {"SHA-256"}});
  std::string notes;
  const ExitCode code = for_each(entries, [&](const DatasetEntry& entry) {
    const DatasetRecord record = load_dataset(entry, entry.spec, folder, /*is_offline=*/false).record;
    for (const DataFileRecord& file : record.files)
      table.add_row({record.name, file.name, with_separators(file.size.value), file.provenance, file.sha256});
    if (!record.note.empty()) notes += record.name + ": " + record.note + "\n";
  });
  print(table.to_string(output_width()) + notes);
  return code;
}

void add_action(CommandParser parser, const std::shared_ptr<Options>& options, const char* names_help,
                ExitCode (*action)(const Options&)) {
  parser.option("names", "NAME ...", names_help, options->names).offers([] { return datasets().names(); });
  add_data_dir(parser, options->data_dir);
  parser.flag("-q,--quiet", "Do not print progress", options->is_quiet);
  parser.on_parsed([options, action] { return action(*options); });
}

void add_options(CommandParser& parser) {
  parser.footer(
      "Examples:\n  gpubench data fetch fashion-mnist\n  gpubench data verify\n"
      "To use another server, set GPUBENCH_BASE_URL.\n"
      "To list the datasets: gpubench list datasets");
  const auto options = std::make_shared<Options>();
  add_action(parser.subcommand("fetch", "Download missing datasets and check their checksums"), options,
             "Datasets (default: all that can be downloaded)", fetch);
  add_action(parser.subcommand("verify", "Check the files and print their origin"), options,
             "Datasets (default: all that are present)", verify);
  parser.require_subcommand("data: no subcommand; use 'gpubench data fetch' or 'gpubench data verify'");
}

}  // namespace

CommandEntry entry_data() { return {"data", "Download or verify datasets", add_options}; }

}  // namespace gpubench::data_plugin
