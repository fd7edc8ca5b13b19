#pragma once
// A dataset, from files to arrays in host memory. Implementations: src/data, one file each. No LibTorch.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "gpubench/core/catalog.h"
#include "gpubench/core/units.h"
#include "gpubench/record/data_spec.h"
#include "gpubench/record/environment.h"

namespace gpubench {

/// Element type of a host array.
enum class ElementType { kUint8, kInt32, kInt64 };

/// A dense row-major array; `shape[0]` counts samples. Owns its bytes, or views memory that outlives it.
struct HostArray {
  ElementType type = ElementType::kUint8;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;            ///< Empty if shared.
  std::span<const std::byte> shared = {};  ///< Empty if owned.

  std::span<const std::byte> data() const { return shared.empty() ? std::span(bytes) : shared; }
};

/// Samples and their targets, in the order of the file. kUint8 inputs stand for value / 255.
struct Split {
  HostArray inputs;   ///< shape: samples, then DataSpec::sample_shape. kInt32 for tokens.
  HostArray targets;  ///< kInt64, shape: samples; for sequences kInt32, as the inputs; none for a stream.

  std::int64_t size() const { return inputs.shape.empty() ? 0 : inputs.shape.front(); }
};

/// A dataset in memory. A split that the dataset lacks has size 0.
struct Dataset {
  DataSpec spec;
  Split train;
  Split validation;
  Split test;
  DatasetRecord record;
};

/// A file to download.
struct RemoteFile {
  std::string name;      ///< Below the dataset's folder and below the base URL alike.
  Bytes size;            ///< Exact size; a download never grows past it.
  std::string checksum;  ///< As the publisher states it, lower-case hexadecimal: MD5 of datasets.
};

/// A dataset that gpubench knows.
struct DatasetEntry {
  std::string name;     ///< Command-line name, e.g. "fashion-mnist".
  std::string summary;  ///< One line for `gpubench list`.
  DataSpec spec;
  SplitSizes sizes;                        ///< Of the official dataset.
  std::string folder;                      ///< Folder below the data directory; downloads go there.
  std::vector<std::string> other_folders;  ///< Of torchvision, Kaggle and others; tried next.
  std::string file_names;                  ///< For the message about a missing dataset.
  std::string base_url;                    ///< Official place of the files, without a trailing slash.
  std::vector<RemoteFile> files;
  std::vector<std::string> members;  ///< To unpack into `folder` if `files` are archives; else empty.
  Bytes largest_member;              ///< Larger ones are refused.

  /// Returns true if `folder` seems to hold the dataset, by names alone.
  std::function<bool(const std::filesystem::path& folder)> is_present;

  /// Reads the dataset, in memory of its official size at most. Throws a data Error that names the file.
  std::function<Dataset(const std::filesystem::path& folder)> load;
};

/// Returns all datasets but the synthetic stand-in, in the order of src/data/catalog.def.
const Catalog<DatasetEntry>& datasets();

/// Arranges the dataset as a model of `wanted` takes it, which it can_feed(). Pairs are drawn from `seed`:
/// image i comes with one of its class if i is even, else of another. `dataset` outlives the result.
Dataset arrange(const Dataset& dataset, const DataSpec& wanted, std::uint64_t seed);

/// Makes a stand-in on which training lowers the loss. The bytes depend on the arguments alone.
Dataset make_synthetic(const DataSpec& spec, const SplitSizes& sizes, std::uint64_t seed);

/// Reports the progress of a download. Called often, from the downloading thread.
using DownloadProgress = std::function<void(const std::string& file, Bytes done, Bytes total)>;

/// Downloads missing files of `entry` into `data_dir`, checks every checksum, then unpacks. Resumes partial
/// files, and keeps them on a data Error. GPUBENCH_BASE_URL replaces the official place. Safe in parallel.
void fetch_dataset(const DatasetEntry& entry, const std::filesystem::path& data_dir,
                   const DownloadProgress& progress);

/// Returns the first folder of the entry that seems to hold the dataset, else its own.
std::filesystem::path dataset_folder(const DatasetEntry& entry, const std::filesystem::path& data_dir);

/// Loads the dataset from dataset_folder(). Throws a data Error with the file, the fault, the places searched
/// for a missing one, and the remedy, which is no download if `is_offline`.
Dataset load_dataset(const DatasetEntry& entry, const std::filesystem::path& data_dir, bool is_offline);

/// Returns `option`, else GPUBENCH_DATA_DIR, else `data` in cache_folder(). Throws a data Error without any.
std::filesystem::path data_directory(const std::string& option);

}  // namespace gpubench
