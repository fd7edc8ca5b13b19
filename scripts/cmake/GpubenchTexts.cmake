# gpubench_texts(OUTPUT FILE...)
#
# Writes the C++ source OUTPUT, which defines for each FILE, such as src/formats/page.css, a function of its name,
# page_css(), that returns its text, and page_css_sha256(), the base64 of the text's SHA-256 as a Content-Security-Policy
# wants it. A change of a file configures anew. Works in script mode too.

include_guard(GLOBAL)

function(gpubench_texts output)
  set(functions "")
  foreach(file IN LISTS ARGN)
    get_filename_component(absolute "${file}" ABSOLUTE)
    get_filename_component(name "${file}" NAME)
    string(MAKE_C_IDENTIFIER "${name}" name)
    file(READ "${absolute}" text)
    file(SHA256 "${absolute}" hash)
    _gpubench_base64(hash "${hash}")
    string(APPEND functions "
std::string_view ${name}() { return R\"text(${text})text\"; }
std::string_view ${name}_sha256() { return \"${hash}\"; }
")
    if(NOT CMAKE_SCRIPT_MODE_FILE)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${absolute}")
    endif()
  endforeach()
  # Untouched where nothing changed, so that nothing is compiled again.
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT "// Made by scripts/cmake/GpubenchTexts.cmake.

#include \"formats/parts/page_text.h\"

namespace gpubench {
@functions@
}  // namespace gpubench
")
endfunction()

# The 64 hexadecimal digits of a SHA-256 in base64: three of them are two characters, and the last one stands alone.
function(_gpubench_base64 out hex)
  set(alphabet "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
  set(result "")
  foreach(place RANGE 0 60 3)
    string(SUBSTRING "${hex}" ${place} 3 digits)
    math(EXPR first "0x${digits} >> 6")
    math(EXPR second "0x${digits} & 63")
    string(SUBSTRING "${alphabet}" ${first} 1 first)
    string(SUBSTRING "${alphabet}" ${second} 1 second)
    string(APPEND result "${first}${second}")
  endforeach()
  string(SUBSTRING "${hex}" 63 1 digit)
  math(EXPR last "0x${digit} << 2")
  string(SUBSTRING "${alphabet}" ${last} 1 last)
  set(${out} "${result}${last}=" PARENT_SCOPE)
endfunction()
