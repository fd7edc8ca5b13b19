#pragma once
// Files that anybody may have written: opened so that none of them can hold the program up, and read only as
// far as what they are to be allows. Stateless, hence safe to call from several threads.

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "gpubench/core/io/files.h"
#include "gpubench/core/reading.h"
#include "gpubench/core/units.h"

namespace gpubench {

enum class Owner {
  kAnybody,
  kThisUser,  ///< Or root: what this program keeps for itself. It is no link, and nobody else may write to
              ///< it.
};

struct OutsideFile {
  FileDescriptor file;  ///< At its beginning.
  Bytes size;
};

/// Opens a regular file that has `most` at most. Absent for anything else, with the rest of a sentence about
/// it: "is no regular file". Waits neither for the other end of a pipe nor for a device.
Reading<OutsideFile> open_outside_file(const std::filesystem::path& path, Bytes most,
                                       Owner owner = Owner::kAnybody);

/// Fills `bytes` with what comes next in the file. False where that is less, or cannot be read.
bool read_all(int descriptor, std::span<std::byte> bytes);

/// The text of such a file; absent as well where it became shorter meanwhile.
Reading<std::string> read_outside_file(const std::filesystem::path& path, Bytes most,
                                       Owner owner = Owner::kAnybody);

}  // namespace gpubench
