# Libraries of the system, and where they are looked for: in the system and under CMAKE_PREFIX_PATH. A folder of programs on PATH, such as that of an
# active conda environment, brings no libraries of its own, which would be others than those found when the program runs; and
# the frameworks that programs leave on a Mac come last.

include_guard(GLOBAL)

set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(CMAKE_FIND_FRAMEWORK LAST)

option(GPUBENCH_STATIC "Link the small libraries as static ones, as released programs do: see scripts/package.sh" OFF)
if(GPUBENCH_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  if(APPLE)
    # What macOS itself has.
    list(APPEND CMAKE_FIND_LIBRARY_SUFFIXES .tbd)
  endif()
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()

set(GPUBENCH_PACKAGES_HINT "docs/systems.md says which packages have them"
  CACHE STRING "What to do where development files are missing")

# A library that not every distribution has a file for find_package of.
function(_gpubench_system_library name list)
  string(TOUPPER "GPUBENCH_${name}" variable)
  find_library(${variable} ${name})
  find_path(${variable}_INCLUDE ${name}.h)
  mark_as_advanced(${variable} ${variable}_INCLUDE)
  if(NOT ${variable} OR NOT ${variable}_INCLUDE)
    set(${list} "${${list}} ${name}" PARENT_SCOPE)
    return()
  endif()
  add_library(gpubench::${name} UNKNOWN IMPORTED)
  set_target_properties(gpubench::${name} PROPERTIES IMPORTED_LOCATION "${${variable}}"
    INTERFACE_INCLUDE_DIRECTORIES "${${variable}_INCLUDE}")
endfunction()

function(gpubench_require_system)
  foreach(name CURL ZLIB OpenSSL LibArchive PNG SQLite3)
    find_package(${name} QUIET)
    if(NOT ${name}_FOUND)
      string(APPEND missing " ${name}")
    endif()
  endforeach()
  _gpubench_system_library(turbojpeg missing)
  _gpubench_system_library(utf8proc missing)
  if(missing)
    message(FATAL_ERROR "the development files are missing of:${missing}; ${GPUBENCH_PACKAGES_HINT}")
  endif()
  if(GPUBENCH_STATIC)
    # A static library does not say what it needs itself.
    set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
  endif()
endfunction()
