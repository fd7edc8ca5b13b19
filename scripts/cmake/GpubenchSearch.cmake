# Finds the libraries of the system: in its own folders and under CMAKE_PREFIX_PATH, but not beside
# the folders of PATH. An active conda environment there would provide other libraries than those
# found at run time. On macOS, frameworks come last.

include_guard(GLOBAL)

set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(CMAKE_FIND_FRAMEWORK LAST)

option(GPUBENCH_STATIC "Link the small libraries statically, as in releases; see scripts/package.sh" OFF)
if(GPUBENCH_STATIC)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  if(APPLE)
    # Stubs of the libraries that are part of macOS.
    list(APPEND CMAKE_FIND_LIBRARY_SUFFIXES .tbd)
  endif()
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()

set(GPUBENCH_PACKAGES_HINT "docs/getting-started.md lists the packages"
  CACHE STRING "Remedy in the error message for missing development files")

# Finds a library for which not every distribution has a find_package file.
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
    message(FATAL_ERROR "missing development files:${missing}; ${GPUBENCH_PACKAGES_HINT}")
  endif()
  if(GPUBENCH_STATIC)
    # A static library does not list its own dependencies.
    set_property(TARGET LibArchive::LibArchive APPEND PROPERTY INTERFACE_LINK_LIBRARIES ZLIB::ZLIB)
  endif()
endfunction()
