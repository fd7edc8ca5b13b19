# gpubench_suites(FOLDER OUTPUT)
#
# Writes the C++ source OUTPUT, which has the text of FOLDER/STEM.json for each line GPUBENCH_ENTRY(STEM) of
# FOLDER/catalog.def, in that order. A line without a file, and a file without a line, end the configure. A change of any
# of these files configures anew. Works in script mode too.

include_guard(GLOBAL)
include(${CMAKE_CURRENT_LIST_DIR}/GpubenchCatalog.cmake)

function(gpubench_suites folder output)
  get_filename_component(absolute "${folder}" ABSOLUTE)
  _gpubench_catalog_stems(stems "${folder}/catalog.def" "${absolute}/catalog.def")
  _gpubench_suite_files(files "${absolute}")
  foreach(file IN LISTS files)
    get_filename_component(stem "${file}" NAME_WLE)
    if(NOT stem IN_LIST stems)
      message(FATAL_ERROR "${folder}/${file} has no line in catalog.def; add GPUBENCH_ENTRY(${stem})")
    endif()
  endforeach()
  set(entries "")
  foreach(stem IN LISTS stems)
    if(NOT "${stem}.json" IN_LIST files)
      message(FATAL_ERROR
        "${folder}/catalog.def has a line for ${stem}, but ${stem}.json is missing; add the file or remove the line")
    endif()
    file(READ "${absolute}/${stem}.json" text)
    string(APPEND entries "    {\"${stem}\", R\"suite(${text})suite\"},\n")
  endforeach()
  _gpubench_write_suites("${output}" "${entries}")
endfunction()

# Untouched where nothing changed, so that nothing is compiled again.
function(_gpubench_write_suites output entries)
  set(source "// Made from src/suites by scripts/cmake/GpubenchSuites.cmake.

#include \"engine/plan/suite.h\"

namespace gpubench {
namespace {

constexpr BuiltInSuite kSuites[] = {
${entries}};

}  // namespace

std::span<const BuiltInSuite> built_in_suites() { return kSuites; }

}  // namespace gpubench
")
  set(before "")
  if(EXISTS "${output}")
    file(READ "${output}" before)
  endif()
  if(NOT before STREQUAL source)
    file(WRITE "${output}" "${source}")
  endif()
endfunction()

# Script mode has no later build that could notice a change, and refuses the request to watch for one.
function(_gpubench_suite_files out absolute)
  if(CMAKE_SCRIPT_MODE_FILE)
    file(GLOB files RELATIVE "${absolute}" "${absolute}/*.json")
  else()
    file(GLOB files RELATIVE "${absolute}" CONFIGURE_DEPENDS "${absolute}/*.json")
    set(watched "${files}")
    list(TRANSFORM watched PREPEND "${absolute}/")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${absolute}/catalog.def" ${watched})
  endif()
  set(${out} "${files}" PARENT_SCOPE)
endfunction()
