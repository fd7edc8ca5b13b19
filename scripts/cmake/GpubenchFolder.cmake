# gpubench_folder([NEEDS FOLDER...] [LIBRARIES LIBRARY...] [PUBLIC_LIBRARIES LIBRARY...] [TORCH]
#                 [CATALOG [ENTRIES HEADER ENTRY FUNCTION NOUN] [SHARED FILE...]] [WITHOUT REGEX] [GENERATED FILE...]
#                 [MODULE])
#
# The library of the folder that calls it, made of all its .cpp files: that of src/engine/plan is gpubench_engine_plan.
# NEEDS names the folders, as paths below src, whose headers it may include, or whose part of a contract it calls;
# tests/lint holds includes to it. TORCH is for folders that include LibTorch. With CATALOG each file is a plug-in with a
# line in catalog.def, except those under SHARED; ENTRIES adds the catalog itself, which gpubench_catalog_source() writes.
# WITHOUT leaves files out. MODULE makes a library that is loaded at run time.
#
# A folder needs nothing of a floor above its own, and plug-in families do not need each other; the configure says where one
# does.

include_guard(GLOBAL)
include(GpubenchCatalog)
include(GpubenchUnity)

# Floor of each top-level folder.
set(_gpubench_floor_core 0)
set(_gpubench_floor_record 1)
foreach(family models data device ops power formats store)
  set(_gpubench_floor_${family} 2)
endforeach()
foreach(part workloads engine compare history pages)
  set(_gpubench_floor_${part} 3)
endforeach()
set(_gpubench_floor_app 4)

function(_gpubench_check_floor folder need)
  string(REGEX MATCH "^[^/]+" own "${folder}")
  string(REGEX MATCH "^[^/]+" other "${need}")
  if(NOT DEFINED _gpubench_floor_${own} OR NOT DEFINED _gpubench_floor_${other})
    message(FATAL_ERROR "${folder} needs ${need}: no floor is known for one of them; GpubenchFolder.cmake has the list")
  endif()
  if(_gpubench_floor_${other} GREATER _gpubench_floor_${own})
    message(FATAL_ERROR "${folder} needs ${need}, which is a floor above it")
  endif()
  if(_gpubench_floor_${own} EQUAL 2 AND _gpubench_floor_${other} EQUAL 2 AND NOT own STREQUAL other)
    message(FATAL_ERROR "${folder} needs ${need}: plug-in families do not need each other")
  endif()
endfunction()

# The folder that is being configured, as a path below src.
function(_gpubench_this_folder out)
  file(RELATIVE_PATH folder "${PROJECT_SOURCE_DIR}/src" "${CMAKE_CURRENT_SOURCE_DIR}")
  string(REGEX REPLACE "^\\.\\./" "" folder "${folder}")
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

function(gpubench_target_of out folder)
  string(REPLACE "/" "_" name "${folder}")
  set(${out} "gpubench_${name}" PARENT_SCOPE)
endfunction()

function(gpubench_folder)
  cmake_parse_arguments(PARSE_ARGV 0 arg "TORCH;CATALOG;MODULE" "WITHOUT"
                        "NEEDS;LIBRARIES;PUBLIC_LIBRARIES;ENTRIES;SHARED;GENERATED")
  _gpubench_this_folder(folder)
  gpubench_target_of(target "${folder}")
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
    _gpubench_check_floor("${folder}" "${need}")
    gpubench_target_of(needed "${need}")
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
