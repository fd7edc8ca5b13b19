#pragma once
// Files embedded in the program; see scripts/cmake/GpubenchEmbeddedTexts.cmake.

#include <string_view>

namespace gpubench {

struct EmbeddedText {
  std::string_view name;  ///< File name without folder and extension.
  std::string_view text;
};

}  // namespace gpubench
