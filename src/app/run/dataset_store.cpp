#include "app/run/dataset_store.h"

#include <fmt/format.h>

#include "gpubench/core/collect.h"
#include "gpubench/core/io/messages.h"

namespace gpubench {
namespace {

Dataset synthetic_for(const Case& c, const std::string& why) {
  const SplitSizes& whole = c.dataset->sizes;
  // A limit counts sequences, not tokens.
  const std::int64_t limit = c.dataset->spec.task == Task::kLanguage ? 0 : c.limit;
  const SplitSizes sizes{used_samples(whole.train, limit), used_samples(whole.validation, limit),
                         used_samples(whole.test, limit)};
  Dataset dataset = make_synthetic(c.dataset->spec, sizes, static_cast<std::uint64_t>(c.seed));
  dataset.record.name = c.dataset->name;
  dataset.record.note = why;
  return dataset;
}

/// Loads the dataset's own files, downloaded first if they are missing and that is allowed.
Dataset real(const Case& c, const DataOptions& options, bool is_quiet) {
  const auto folder = data_directory(options.data_dir);
  const bool may_fetch = c.source == DataSource::kRealIfPossible && !options.is_offline;
  if (may_fetch && !c.dataset->is_present(dataset_folder(*c.dataset, folder))) {
    if (!is_quiet)
      log_info("downloading {} to {}; --offline trains on synthetic data instead", c.dataset->name,
               folder.string());
    fetch_dataset(*c.dataset, folder, options.base_url, download_progress(is_quiet));
  }
  return load_dataset(*c.dataset, folder, options.is_offline);
}

Dataset load(const Case& c, const DataOptions& options, bool is_quiet) {
  if (c.source == DataSource::kSynthetic) return synthetic_for(c, "asked for with --dataset synthetic");
  try {
    return real(c, options, is_quiet);
  } catch (const Error& error) {
    // Without a data directory, fall back to synthetic data.
    const bool is_usage = error.kind() == ErrorKind::kUsage && options.data_dir.empty();
    if (c.source == DataSource::kReal || (error.kind() != ErrorKind::kData && !is_usage)) throw;
    return synthetic_for(c, error.what());
  }
}

}  // namespace

DatasetStore::DatasetStore(const std::vector<Case>& cases, const DataOptions& options, bool is_quiet,
                           SharedDatasets* shared) {
  for (const Case& c : cases) {
    if (loaded_.contains(c.dataset->name)) continue;
    Dataset dataset = load(c, options, is_quiet);
    const DatasetRecord& record = dataset.record;
    if (!is_quiet && record.is_synthetic)
      log_info("{}: synthetic data in its place ({})", record.name, record.note);
    else if (!is_quiet && !record.note.empty())
      log_info("{}: {}", record.name, record.note);
    facts_[c.dataset->name] = gpubench::make_facts(dataset);
    if (shared) {
      shared->emplace(c.dataset->name, dataset);
      dataset = Dataset{dataset.spec, {}, {}, {}, dataset.record};
    }
    loaded_.emplace(c.dataset->name, std::move(dataset));
  }
}

std::vector<DatasetRecord> DatasetStore::records() const {
  return mapped(loaded_, [](const auto& loaded) { return loaded.second.record; });
}

DownloadProgress download_progress(bool is_quiet) {
  if (!shows_progress(is_quiet)) return [](const std::string&, Bytes, Bytes) {};
  return [](const std::string& file, Bytes done, Bytes total) {
    constexpr double kMegabyte = 1e6;
    const bool is_done = done == total;
    draw_status(fmt::format("\rdownloading {}: {:.1f} of {:.1f} MB{}", file,
                            static_cast<double>(done.value) / kMegabyte,
                            static_cast<double>(total.value) / kMegabyte, is_done ? "\n" : ""));
  };
}

}  // namespace gpubench
