#pragma once
// Datasets: files on disk to arrays in host memory. Implementations: src/data, one file each. No LibTorch.

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

/// A dense row-major array of `shape[0]` samples. Owns its bytes, or views memory that outlives it.
struct HostArray {
  ElementType type = ElementType::kUint8;
  std::vector<std::int64_t> shape;
  std::vector<std::byte> bytes;            ///< Empty if shared.
  std::span<const std::byte> shared = {};  ///< Empty if owned.

  std::span<const std::byte> data() const { return shared.empty() ? std::span(bytes) : shared; }
};

/// Samples and their targets, in file order. A kUint8 input v stands for v / 255.
struct Split {
  HostArray inputs;   ///< Shape: samples, then DataSpec::sample_shape. kInt32 for tokens.
  HostArray targets;  ///< kInt64, shape: samples. Sequences: kInt32, shape of the inputs. Stream: empty.

  std::int64_t size() const { return inputs.shape.empty() ? 0 : inputs.shape.front(); }
};

/// A dataset in memory. A missing split has size 0.
struct Dataset {
  DataSpec spec;
  Split train;
  Split validation;
  Split test;
  DatasetRecord record;
};

struct RemoteFile {
  std::string name;      ///< Path relative to the dataset's folder and to the base URL.
  Bytes size;            ///< Exact size, and upper limit of a download.
  std::string checksum;  ///< Publisher's checksum in lower-case hexadecimal; MD5 for datasets.
};

/// Catalog entry of a dataset.
struct DatasetEntry {
  std::string name;     ///< Command-line name, e.g. "fashion-mnist".
  std::string summary;  ///< One line for `gpubench list`.
  DataSpec spec;        ///< An example if the model decides.
  SplitSizes sizes;     ///< Sizes of the official dataset, or of its synthetic replacement.
  std::string folder;   ///< Download folder below the data directory.
  std::vector<std::string> other_folders{};  ///< Folders of torchvision, Kaggle and others, searched next.
  std::string file_names{};                  ///< File names for the message about a missing dataset.
  std::string base_url{};                    ///< Official URL of the files, without a trailing slash.
  std::vector<RemoteFile> files{};
  std::vector<std::string> members{};  ///< Archive members to unpack into `folder`; empty for plain files.
  Bytes largest_member{};              ///< Maximum size of a member.

  /// Returns true if `folder` seems to contain the dataset, judged by file names.
  std::function<bool(const std::filesystem::path& folder)> is_present;

  /// Reads the dataset as `spec`, a value of spec_for(). Allocates at most its official size. Throws a data
  /// Error that names the file.
  std::function<Dataset(const std::filesystem::path& folder, const DataSpec& spec)> load;

  /// Returns the closest spec to `wanted` that the files can take. Null unless the model decides.
  DataSpec (*adapt)(const DataSpec& wanted) = nullptr;

  /// Returns the spec of the dataset for a model of `wanted`.
  DataSpec spec_for(const DataSpec& wanted) const { return adapt != nullptr ? adapt(wanted) : spec; }
};

/// Returns all datasets except `synthetic`, in the order of src/data/catalog.def.
const Catalog<DatasetEntry>& datasets();

/// Converts the dataset to `wanted`; requires can_feed(). `seed` determines pairs: image i is paired with an
/// image of the same class if i is even, else of another class. `dataset` outlives the result.
Dataset arrange(const Dataset& dataset, const DataSpec& wanted, std::uint64_t seed);

/// Makes synthetic data on which training lowers the loss. The same arguments give the same bytes.
Dataset make_synthetic(const DataSpec& spec, const SplitSizes& sizes, std::uint64_t seed);

/// Reports the progress of a download. Called often, from the downloading thread.
using DownloadProgress = std::function<void(const std::string& file, Bytes done, Bytes total)>;

/// Downloads missing files of `entry` into `data_dir`, verifies all checksums, and unpacks archives. Resumes
/// partial files, and keeps them on a data Error. GPUBENCH_BASE_URL replaces the official URL. Safe to run in
/// several processes at once.
void fetch_dataset(const DatasetEntry& entry, const std::filesystem::path& data_dir,
                   const DownloadProgress& progress);

/// Returns the first folder of the entry that seems to contain the dataset, else its download folder.
std::filesystem::path dataset_folder(const DatasetEntry& entry, const std::filesystem::path& data_dir);

/// Loads the dataset as `spec` from dataset_folder(). Throws a data Error with the file, the fault, the
/// searched folders and the remedy. The remedy suggests no download if `is_offline`.
Dataset load_dataset(const DatasetEntry& entry, const DataSpec& spec, const std::filesystem::path& data_dir,
                     bool is_offline);

/// Returns `option`, else GPUBENCH_DATA_DIR, else `data` in cache_folder(). Throws a data Error without any.
std::filesystem::path data_directory(const std::string& option);

}  // namespace gpubench
