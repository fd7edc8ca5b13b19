# The imported target gpubench::torch: LibTorch's headers and libraries, and the compile settings that go with them.
#
# find_package(Torch) is not used: for a LibTorch with CUDA it insists on a CUDA toolkit, which nothing here needs.
#
# in:  GPUBENCH_TORCH (cache or environment): the folder with include/ and lib/; else CMAKE_PREFIX_PATH is searched
#      GPUBENCH_WITHOUT_TORCH (cache): an empty target, for a build of nothing that includes LibTorch
# out: GPUBENCH_TORCH_VERSION, GPUBENCH_TORCH_FLAVOR (cuda, cpu, slim-cpu, macos or none)

include_guard(GLOBAL)

set(GPUBENCH_TORCH "" CACHE PATH "Folder that holds include/ and lib/ of LibTorch")
option(GPUBENCH_WITHOUT_TORCH "Build nothing that needs LibTorch: the fuzz targets do without" OFF)
set(_gpubench_oldest_torch 2.4)
set(_gpubench_torch_remedy
  "run scripts/run.sh, which fetches it, or set GPUBENCH_TORCH to a folder that holds include/ and lib/")

# The version that the headers under the folder state; empty where there are none. The header moved in 2.9.
function(_gpubench_torch_read_version root out)
  set(version "")
  foreach(header torch/headeronly/version.h torch/csrc/api/include/torch/version.h torch/version.h)
    if(NOT version AND EXISTS "${root}/include/${header}")
      file(STRINGS "${root}/include/${header}" lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) [0-9]")
      string(REGEX MATCHALL "[0-9]+" version "${lines}")
      string(REPLACE ";" "." version "${version}")
    endif()
  endforeach()
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

function(_gpubench_torch_find out_root out_version)
  set(candidates "${GPUBENCH_TORCH}")
  if(NOT candidates)
    file(TO_CMAKE_PATH "$ENV{GPUBENCH_TORCH}" candidates)
  endif()
  if(NOT candidates)
    file(TO_CMAKE_PATH "$ENV{CMAKE_PREFIX_PATH}" candidates)
    list(APPEND candidates ${CMAKE_PREFIX_PATH})
    list(TRANSFORM candidates REPLACE "/share/cmake.*$" "")
  endif()
  foreach(root IN LISTS candidates)
    _gpubench_torch_read_version("${root}" version)
    if(version)
      set(${out_root} "${root}" PARENT_SCOPE)
      set(${out_version} "${version}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(GPUBENCH_TORCH)
    message(FATAL_ERROR "no LibTorch in GPUBENCH_TORCH=${GPUBENCH_TORCH}; ${_gpubench_torch_remedy}")
  endif()
  message(FATAL_ERROR "LibTorch not found; ${_gpubench_torch_remedy}")
endfunction()

# LibTorch builds with the old C++ ABI say so in their own CMake file; later ones have one ABI only.
function(_gpubench_torch_check root version)
  if(version VERSION_LESS _gpubench_oldest_torch)
    message(FATAL_ERROR
      "LibTorch ${version} in ${root} is older than ${_gpubench_oldest_torch}; ${_gpubench_torch_remedy}")
  endif()
  set(config "${root}/share/cmake/Torch/TorchConfig.cmake")
  if(EXISTS "${config}")
    file(STRINGS "${config}" old_abi REGEX "_GLIBCXX_USE_CXX11_ABI=0")
    if(old_abi)
      message(FATAL_ERROR "LibTorch ${version} in ${root} has the old C++ ABI; ${_gpubench_torch_remedy}")
    endif()
  endif()
endfunction()

# CUDA's runtime headers and library: beside the wheel, inside the zip, or from a toolkit. Empty where one is missing.
function(_gpubench_torch_find_cuda root out_include out_library)
  get_filename_component(site "${root}" DIRECTORY)
  file(GLOB beside LIST_DIRECTORIES true "${site}/nvidia/cu[0-9]*" "${site}/nvidia/cuda_runtime")
  set(toolkits "$ENV{CUDA_HOME}" "$ENV{CUDA_PATH}" /usr/local/cuda /usr)
  find_path(include cuda_runtime_api.h PATHS ${beside} ${toolkits} PATH_SUFFIXES include NO_DEFAULT_PATH NO_CACHE)
  foreach(folder "${root}" ${beside} ${toolkits})
    file(GLOB found "${folder}/lib/libcudart[.-]*so*" "${folder}/lib64/libcudart.so*")
    list(APPEND libraries ${found})
  endforeach()
  if(include AND libraries)
    list(GET libraries 0 library)
    set(${out_include} "${include}" PARENT_SCOPE)
    set(${out_library} "${library}" PARENT_SCOPE)
  endif()
endfunction()

# Sets flavor, cuda_include and cuda_library.
macro(_gpubench_torch_choose_flavor root)
  set(cuda_include "")
  set(cuda_library "")
  set(GPUBENCH_TORCH_FLAVOR cpu)
  if(APPLE)
    set(GPUBENCH_TORCH_FLAVOR macos)
  elseif(EXISTS "${root}/../gpubench-slim")
    set(GPUBENCH_TORCH_FLAVOR slim-cpu)
  elseif(EXISTS "${root}/lib/libtorch_cuda.so")
    _gpubench_torch_find_cuda("${root}" cuda_include cuda_library)
    if(cuda_include)
      set(GPUBENCH_TORCH_FLAVOR cuda)
    else()
      message(WARNING
        "building for CPU only: LibTorch has CUDA, but CUDA's runtime headers are missing; install a CUDA toolkit")
    endif()
  endif()
endmacro()

# Libraries that only another library needs are found through rpath-link when linking and through rpath when running, but for
# targets with the property GPUBENCH_RELOCATABLE, in which no folder of this machine stands. CMake's own paths for builds will
# not do: what is to be installed gets them with an empty entry at the end, which is whatever folder is the current one.
function(_gpubench_torch_link_linux root)
  set(names torch_cpu c10)
  if(GPUBENCH_TORCH_FLAVOR STREQUAL cuda)
    # Nothing in gpubench may refer to libtorch_cuda.so by name, and the CUDA backend registers only where it is loaded.
    target_link_options(gpubench::torch INTERFACE LINKER:--no-as-needed)
    set(names torch torch_cpu torch_cuda c10_cuda c10)
  elseif(GPUBENCH_TORCH_FLAVOR STREQUAL slim-cpu)
    target_link_options(gpubench::torch INTERFACE LINKER:--allow-shlib-undefined)
  endif()
  list(TRANSFORM names PREPEND "${root}/lib/lib")
  list(TRANSFORM names APPEND ".so")
  # LibTorch exports a std::filesystem of its own with holes in it; the system's must be found first.
  target_link_libraries(gpubench::torch INTERFACE stdc++ ${names} ${cuda_library})
  get_filename_component(site "${root}" DIRECTORY)
  file(GLOB folders LIST_DIRECTORIES true "${site}/nvidia/*/lib")
  foreach(folder "${root}/lib" ${folders})
    target_link_options(gpubench::torch INTERFACE "LINKER:-rpath-link,${folder}"
      "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:GPUBENCH_RELOCATABLE>>>:LINKER:-rpath,${folder}>")
  endforeach()
endfunction()

# CMake itself makes the folder of libraries that are named by their path an rpath; dyld refuses what names one twice.
function(_gpubench_torch_link_macos root)
  foreach(name torch torch_cpu c10)
    target_link_libraries(gpubench::torch INTERFACE "${root}/lib/lib${name}.dylib")
  endforeach()
endfunction()

if(GPUBENCH_WITHOUT_TORCH)
  set(GPUBENCH_TORCH_FLAVOR none)
  add_library(gpubench::torch INTERFACE IMPORTED GLOBAL)
  return()
endif()

_gpubench_torch_find(_gpubench_torch_root GPUBENCH_TORCH_VERSION)
get_filename_component(_gpubench_torch_root "${_gpubench_torch_root}" ABSOLUTE)
# Kept, so that a later reconfigure does not depend on the environment of the first one.
set(GPUBENCH_TORCH "${_gpubench_torch_root}" CACHE PATH "" FORCE)
_gpubench_torch_check("${_gpubench_torch_root}" "${GPUBENCH_TORCH_VERSION}")
_gpubench_torch_choose_flavor("${_gpubench_torch_root}")

add_library(gpubench::torch INTERFACE IMPORTED GLOBAL)
target_compile_features(gpubench::torch INTERFACE cxx_std_20)
target_include_directories(gpubench::torch SYSTEM INTERFACE
  "${_gpubench_torch_root}/include" "${_gpubench_torch_root}/include/torch/csrc/api/include" ${cuda_include})
# LibTorch's own checks, switched on by a missing NDEBUG, throw against a release build of it.
target_compile_definitions(gpubench::torch INTERFACE NDEBUG)
if(APPLE)
  _gpubench_torch_link_macos("${_gpubench_torch_root}")
else()
  target_compile_definitions(gpubench::torch INTERFACE _GLIBCXX_USE_CXX11_ABI=1)
  _gpubench_torch_link_linux("${_gpubench_torch_root}")
endif()
if(GPUBENCH_TORCH_FLAVOR STREQUAL cuda)
  target_compile_definitions(gpubench::torch INTERFACE GPUBENCH_HAS_CUDA=1)
endif()
message(STATUS "LibTorch ${GPUBENCH_TORCH_VERSION} (${GPUBENCH_TORCH_FLAVOR}) in ${_gpubench_torch_root}")
