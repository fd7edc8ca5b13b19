# gpubench_catalog(OUT FOLDER [EXTENSION EXTENSION] [SHARED FILE...])
#
# Sets OUT to the files of a plug-in folder: FOLDER/STEM.cpp for each line GPUBENCH_ENTRY(STEM) of FOLDER/catalog.def, in that order, then
# the shared files of the folder, which are no plug-ins. GPUBENCH_ENTRY(NAME, STEM) is a further entry, entry_NAME(), of STEM.cpp. A line
# without a file, and a file without a line, end the configure. EXTENSION is another one than cpp. Works in script mode too.

include_guard(GLOBAL)

function(gpubench_catalog out folder)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" EXTENSION SHARED)
  set(extension cpp)
  if(arg_EXTENSION)
    set(extension "${arg_EXTENSION}")
  endif()
  get_filename_component(absolute "${folder}" ABSOLUTE)
  # Script mode has no later build that could notice a change, and refuses the request to watch for one.
  set(watch "")
  if(NOT CMAKE_SCRIPT_MODE_FILE)
    set(watch CONFIGURE_DEPENDS)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${absolute}/catalog.def")
  endif()
  file(GLOB files RELATIVE "${absolute}" ${watch} "${absolute}/*.${extension}")
  set(sources "")
  _gpubench_catalog_stems(stems "${folder}/catalog.def" "${absolute}/catalog.def")
  foreach(stem IN LISTS stems_files)
    if(NOT "${stem}.${extension}" IN_LIST files)
      message(FATAL_ERROR
        "${folder}/catalog.def has a line for ${stem}, but ${stem}.${extension} is missing; add the file or remove the line")
    endif()
    list(APPEND sources "${stem}.${extension}")
  endforeach()
  list(REMOVE_DUPLICATES sources)
  list(APPEND sources ${arg_SHARED})
  foreach(file IN LISTS files)
    if(NOT file IN_LIST sources)
      get_filename_component(stem "${file}" NAME_WE)
      message(FATAL_ERROR "${folder}/${file} has no line in catalog.def; add GPUBENCH_ENTRY(${stem}), or name it under SHARED")
    endif()
  endforeach()
  list(TRANSFORM sources PREPEND "${folder}/")
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()

# gpubench_catalog_source(OUTPUT DEFINITION HEADER ENTRY FUNCTION NOUN [STEM...])
#
# Writes the C++ source OUTPUT. It defines FUNCTION(), the Catalog<ENTRY> of all FILE_plugin::entry_STEM() in the catalog.def
# DEFINITION, followed by the STEMs. HEADER declares ENTRY and FUNCTION, NOUN names an entry in messages.
function(gpubench_catalog_source output definition header entry function noun)
  _gpubench_catalog_stems(stems "${definition}" "${definition}")
  list(APPEND stems ${ARGN})
  list(APPEND stems_files ${ARGN})
  set(declarations "")
  set(calls "")
  foreach(stem file IN ZIP_LISTS stems stems_files)
    string(APPEND declarations "namespace ${file}_plugin {\n${entry} entry_${stem}();\n}\n")
    list(APPEND calls "${file}_plugin::entry_${stem}()")
  endforeach()
  list(JOIN calls ", " calls)
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT "// Made by scripts/cmake/GpubenchCatalog.cmake.

#include \"${header}\"

namespace gpubench {

@declarations@
const Catalog<${entry}>& ${function}() {
  static const Catalog<${entry}> all(\"${noun}\", {@calls@});
  return all;
}

}  // namespace gpubench
")
endfunction()

# Sets OUT to the entries of a catalog, and OUT_files to the stem of each one's file.
function(_gpubench_catalog_stems out name path)
  if(NOT EXISTS "${path}")
    message(FATAL_ERROR "${name} is missing; it lists the folder's plug-ins, one GPUBENCH_ENTRY(stem) a line")
  endif()
  set(stems "")
  set(files "")
  file(READ "${path}" text)
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REPLACE "\n" ";" lines "${text}")
  foreach(line IN LISTS lines)
    string(STRIP "${line}" line)
    if(line MATCHES "^GPUBENCH_ENTRY\\(([A-Za-z0-9_]+)(, ([A-Za-z0-9_]+))?\\)$")
      set(file "${CMAKE_MATCH_3}")
      if(CMAKE_MATCH_1 IN_LIST stems)
        message(FATAL_ERROR "${name} has two lines for ${CMAKE_MATCH_1}; remove one")
      endif()
      list(APPEND stems ${CMAKE_MATCH_1})
      if(file STREQUAL "")
        set(file ${CMAKE_MATCH_1})
      endif()
      list(APPEND files ${file})
    elseif(NOT line STREQUAL "")
      message(FATAL_ERROR "${name}: '${line}' is no entry; write GPUBENCH_ENTRY(stem)")
    endif()
  endforeach()
  set(${out} "${stems}" PARENT_SCOPE)
  set(${out}_files "${files}" PARENT_SCOPE)
endfunction()
