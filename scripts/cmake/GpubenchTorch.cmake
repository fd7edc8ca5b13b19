# Defines the imported target gpubench::torch: headers, libraries and compile settings of LibTorch.
#
# Does not use find_package(Torch), which requires a CUDA toolkit for a LibTorch with CUDA.
#
# in:  GPUBENCH_TORCH (cache or environment): folder with include/ and lib/; else CMAKE_PREFIX_PATH
#      GPUBENCH_WITHOUT_TORCH (cache): defines an empty target, for builds without LibTorch
# out: GPUBENCH_TORCH_VERSION, GPUBENCH_TORCH_FLAVOR (cuda, cpu, slim-cpu, macos or none)

include_guard(GLOBAL)

set(GPUBENCH_TORCH "" CACHE PATH "Folder that contains include/ and lib/ of LibTorch")
option(GPUBENCH_WITHOUT_TORCH "Build only targets that do not need LibTorch, such as the fuzz targets" OFF)
set(_gpubench_oldest_torch 2.4)
set(_gpubench_torch_remedy
  "run scripts/run.sh, which fetches it, or set GPUBENCH_TORCH to a folder that contains include/ and lib/")

# Reads the version from the headers; empty if they are missing. LibTorch 2.9 moved this header.
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
    message(FATAL_ERROR "GPUBENCH_TORCH=${GPUBENCH_TORCH} contains no LibTorch; ${_gpubench_torch_remedy}")
  endif()
  message(FATAL_ERROR "LibTorch not found; ${_gpubench_torch_remedy}")
endfunction()

# Rejects an old LibTorch. Builds with the old C++ ABI are marked in their CMake file; newer
# versions have one ABI only.
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

# Finds headers and library of the CUDA runtime: beside the wheel, inside the zip, or in a toolkit.
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
        "building for the CPU only: LibTorch has CUDA, but the CUDA runtime headers are missing; install a CUDA toolkit")
    endif()
  endif()
endmacro()

# Indirect dependencies are found through rpath-link when linking and through rpath at run time.
# Targets with the property GPUBENCH_RELOCATABLE get no rpath, because they must not contain paths
# of this machine. CMake's own build rpath is not usable: it leaves installed files with an empty
# entry, which means the current folder.
function(_gpubench_torch_link_linux root)
  set(names torch_cpu c10)
  if(GPUBENCH_TORCH_FLAVOR STREQUAL cuda)
    # Load libtorch_cuda.so, which registers the CUDA backend, though no symbol of it is used.
    target_link_options(gpubench::torch INTERFACE LINKER:--no-as-needed)
    set(names torch torch_cpu torch_cuda c10_cuda c10)
  elseif(GPUBENCH_TORCH_FLAVOR STREQUAL slim-cpu)
    target_link_options(gpubench::torch INTERFACE LINKER:--allow-shlib-undefined)
  endif()
  list(TRANSFORM names PREPEND "${root}/lib/lib")
  list(TRANSFORM names APPEND ".so")
  # LibTorch exports an incomplete std::filesystem; the linker must find the system's first.
  target_link_libraries(gpubench::torch INTERFACE stdc++ ${names} ${cuda_library})
  get_filename_component(site "${root}" DIRECTORY)
  file(GLOB folders LIST_DIRECTORIES true "${site}/nvidia/*/lib")
  foreach(folder "${root}/lib" ${folders})
    target_link_options(gpubench::torch INTERFACE "LINKER:-rpath-link,${folder}"
      "$<$<NOT:$<BOOL:$<TARGET_PROPERTY:GPUBENCH_RELOCATABLE>>>:LINKER:-rpath,${folder}>")
  endforeach()
endfunction()

# CMake adds the folder of these libraries to the rpath by itself; dyld rejects duplicates.
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
# Keep the path, so that a later reconfigure does not depend on the environment of the first one.
set(GPUBENCH_TORCH "${_gpubench_torch_root}" CACHE PATH "" FORCE)
_gpubench_torch_check("${_gpubench_torch_root}" "${GPUBENCH_TORCH_VERSION}")
_gpubench_torch_choose_flavor("${_gpubench_torch_root}")

add_library(gpubench::torch INTERFACE IMPORTED GLOBAL)
target_compile_features(gpubench::torch INTERFACE cxx_std_20)
target_include_directories(gpubench::torch SYSTEM INTERFACE
  "${_gpubench_torch_root}/include" "${_gpubench_torch_root}/include/torch/csrc/api/include" ${cuda_include})
# Without NDEBUG, the debug checks in LibTorch's headers fail with release builds of LibTorch.
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
