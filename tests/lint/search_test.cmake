# A folder of programs on PATH brings no libraries: run with cmake -P.

cmake_minimum_required(VERSION 3.25)

string(RANDOM LENGTH 12 suffix)
set(work "${CMAKE_CURRENT_BINARY_DIR}/search_test.${suffix}")
file(WRITE "${work}/env/lib/cmake/probe/probe-config.cmake" "\n")
file(MAKE_DIRECTORY "${work}/env/bin")
set(ENV{PATH} "${work}/env/bin:$ENV{PATH}")

# Sets probe_FOUND.
macro(look)
  unset(probe_DIR CACHE)
  find_package(probe QUIET)
endmacro()

look()
set(before ${probe_FOUND})
include("${CMAKE_CURRENT_LIST_DIR}/../../scripts/cmake/GpubenchSearch.cmake")
look()
set(after ${probe_FOUND})
set(CMAKE_PREFIX_PATH "${work}/env")
look()
file(REMOVE_RECURSE "${work}")

if(NOT before)
  message(SEND_ERROR "CMake itself should look beside the folders of PATH, or this test shows nothing")
endif()
if(after)
  message(SEND_ERROR "nothing from beside PATH should be found")
endif()
if(NOT probe_FOUND)
  message(SEND_ERROR "CMAKE_PREFIX_PATH should be searched")
endif()
