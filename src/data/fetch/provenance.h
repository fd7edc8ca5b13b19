#pragma once
// Where the files of a dataset came from, as far as their checksums tell.

#include <span>
#include <string>
#include <vector>

#include "data/fetch/raw_file.h"
#include "gpubench/dataset.h"

namespace gpubench {

/// What the record says about `file`. `official` lists the publisher's files under the names that they have
/// on disk.
DataFileRecord describe_file(const RawFile& file, std::span<const RemoteFile> official);

/// Likewise of a file that the publisher has, whose checksum is known: `is_official` says whether it is
/// right.
DataFileRecord describe_file(const RawFile& file, bool is_official);

/// Whether every file is known to be the publisher's.
bool is_official(const DatasetRecord& record);

/// In what `dataset` differs from the official one, e.g. "7,500 of 50,000 training samples; not the official
/// files". Empty where it does not.
std::string provenance_note(const Dataset& dataset, const SplitSizes& official);

}  // namespace gpubench
