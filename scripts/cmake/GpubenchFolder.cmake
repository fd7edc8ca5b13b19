# gpubench_folder([NEEDS FOLDER...] [LIBRARIES LIBRARY...] [PUBLIC_LIBRARIES LIBRARY...] [TORCH]
#                 [CATALOG [ENTRIES HEADER ENTRY FUNCTION NOUN] [SHARED FILE...]] [WITHOUT REGEX]
#                 [GENERATED FILE...] [MODULE])
#
# Adds the library of the calling folder from its .cpp files, e.g. gpubench_engine_plan.
#   NEEDS             Folders below src that it includes or calls; tests/lint checks the includes
#   LIBRARIES         Third-party libraries, private to this folder
#   PUBLIC_LIBRARIES  Third-party libraries that its headers include
#   TORCH             The folder includes LibTorch
#   CATALOG           Each file except the SHARED ones is a plug-in with a line in catalog.def
#   ENTRIES           Adds the catalog itself; see gpubench_catalog_source()
#   WITHOUT           Excludes files
#   GENERATED         Generated sources
#   MODULE            The library is loaded at run time
#
# A folder must not need a folder of a higher layer, and plug-in families must not need each other.

include_guard(GLOBAL)
include(GpubenchCatalog)
include(GpubenchUnity)

# Layer of each top-level folder.
set(_gpubench_layer_core 0)
set(_gpubench_layer_record 1)
foreach(family models data device ops power formats store)
  set(_gpubench_layer_${family} 2)
endforeach()
foreach(part workloads engine compare history pages)
  set(_gpubench_layer_${part} 3)
endforeach()
set(_gpubench_layer_app 4)

function(_gpubench_check_layer folder need)
  string(REGEX MATCH "^[^/]+" own "${folder}")
  string(REGEX MATCH "^[^/]+" other "${need}")
  if(NOT DEFINED _gpubench_layer_${own} OR NOT DEFINED _gpubench_layer_${other})
    message(FATAL_ERROR "${folder} needs ${need}: unknown layer; add the missing folder to the list in GpubenchFolder.cmake")
  endif()
  if(_gpubench_layer_${other} GREATER _gpubench_layer_${own})
    message(FATAL_ERROR "${folder} needs ${need}: dependency on a higher layer; remove it, or move the code")
  endif()
  if(_gpubench_layer_${own} EQUAL 2 AND _gpubench_layer_${other} EQUAL 2 AND NOT own STREQUAL other)
    message(FATAL_ERROR "${folder} needs ${need}: dependency between plug-in families; remove it, or move the code down")
  endif()
endfunction()

# Sets OUT to the folder being configured, as a path below src.
function(_gpubench_this_folder out)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REGEX REPLACE "^\\.\\./" "" folder "${folder}")
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

function(gpubench_folder_target out folder)
  string(REPLACE "/" "_" name "${folder}")
  set(${out} "gpubench_${name}" PARENT_SCOPE)
endfunction()

function(gpubench_folder)
  cmake_parse_arguments(PARSE_ARGV 0 arg "TORCH;CATALOG;MODULE" "WITHOUT"
                        "NEEDS;LIBRARIES;PUBLIC_LIBRARIES;ENTRIES;SHARED;GENERATED")
  _gpubench_this_folder(folder)
  gpubench_folder_target(target "${folder}")
  if(arg_CATALOG)
    gpubench_catalog(sources "${CMAKE_CURRENT_SOURCE_DIR}" SHARED ${arg_SHARED})
    if(arg_ENTRIES)
      set(catalog ${CMAKE_CURRENT_BINARY_DIR}/${target}_catalog.cpp)
      gpubench_catalog_source(${catalog} ${CMAKE_CURRENT_SOURCE_DIR}/catalog.def ${arg_ENTRIES})
      list(APPEND arg_GENERATED ${catalog})
    endif()
  else()
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/*.cpp")
  endif()
  if(arg_WITHOUT)
    list(FILTER sources EXCLUDE REGEX "${arg_WITHOUT}")
  endif()
  gpubench_unity(sources ${target} "${PROJECT_SOURCE_DIR}/src" ${sources})
  set(kind STATIC)
  if(arg_MODULE)
    set(kind MODULE)
  endif()
  add_library(${target} ${kind} ${sources} ${arg_GENERATED})
  set_target_properties(${target} PROPERTIES GPUBENCH_ENTRIES "${arg_ENTRIES}")
  target_link_libraries(${target} PUBLIC fmt::fmt ${arg_PUBLIC_LIBRARIES} PRIVATE gpubench_options ${arg_LIBRARIES})
  foreach(need IN LISTS arg_NEEDS)
    _gpubench_check_layer("${folder}" "${need}")
    gpubench_folder_target(needed "${need}")
    target_link_libraries(${target} PUBLIC ${needed})
  endforeach()
  if(arg_TORCH)
    target_link_libraries(${target} PUBLIC gpubench::torch)
    target_precompile_headers(${target} REUSE_FROM gpubench_torch_pch)
  else()
    target_compile_options(${target} PRIVATE ${gpubench_cold_code})
    target_precompile_headers(${target} REUSE_FROM gpubench_pch)
  endif()
endfunction()
