#pragma once
// Files that the program carries inside itself; see scripts/cmake/GpubenchEmbeddedTexts.cmake.

#include <string_view>

namespace gpubench {

struct EmbeddedText {
  std::string_view name;  ///< Of the file, without folder and extension.
  std::string_view text;
};

}  // namespace gpubench
