#pragma once
// Where the file of a pin is: on a package index as pip knows it, or in a folder.

#include <string>
#include <string_view>

#include "app/setup/pins.h"
#include "data/fetch/download.h"

namespace gpubench {

/// A file that a pin stands for on this machine.
struct PinnedFile {
  RemoteFile file;      ///< With its SHA-256; without its size until that was asked for.
  std::string address;  ///< Of an index: a URL. Of a folder: a path.
};

/// The system and processor of this machine as file names of packages have them: "linux x86_64", "macosx
/// arm64".
struct Platform {
  std::string system;
  std::string processor;
};
Platform own_platform();

/// The one of `pin`'s files for `platform` among the links of `page`, the package's page of an index (PEP
/// 503), which was read from `url`. Throws a data Error where there is none.
PinnedFile file_on_page(const Pin& pin, const Platform& platform, std::string_view page,
                        const std::string& url);

/// The same of the files in `folder`.
PinnedFile file_in_folder(const Pin& pin, const Platform& platform, const std::string& folder);

}  // namespace gpubench
