# gpubench_embedded_texts(OUTPUT HEADER FUNCTION FILE...)
#
# Writes the C++ source OUTPUT, which defines `std::span<const EmbeddedText> gpubench::FUNCTION()`, of HEADER or of the source that calls
# it: the texts of the files, each under its name without folder and extension. A change of one of them reruns the configuration.

include_guard(GLOBAL)

function(gpubench_embedded_texts output header function)
  set(entries "")
  foreach(file IN LISTS ARGN)
    get_filename_component(stem "${file}" NAME_WLE)
    file(READ "${file}" text)
    string(APPEND entries "    {\"${stem}\", R\"embedded(${text})embedded\"},\n")
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${ARGN})
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT "// Made by scripts/cmake/GpubenchEmbeddedTexts.cmake.

#include <span>

#include \"@header@\"

namespace gpubench {

std::span<const EmbeddedText> @function@() {
  static constexpr EmbeddedText kTexts[] = {
@entries@};
  return kTexts;
}

}  // namespace gpubench
")
endfunction()
