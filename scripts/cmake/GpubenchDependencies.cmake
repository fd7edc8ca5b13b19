# Defines the targets of all third-party libraries except LibTorch. Include after GpubenchTorch.
#
# From the system, or else from a pinned release:
#   CLI11::CLI11  fmt::fmt  nlohmann_json::nlohmann_json  FastFloat::fast_float
#   gpubench::catch2  gpubench::valijson  (with BUILD_TESTING only)
# From the system only:
#   CURL::libcurl  ZLIB::ZLIB  OpenSSL::Crypto  LibArchive::LibArchive  PNG::PNG  SQLite::SQLite3
#   gpubench::turbojpeg  gpubench::utf8proc  Threads::Threads

include_guard(GLOBAL)
include(FetchContent)
include(GpubenchSearch)

set(GPUBENCH_VALIJSON "" CACHE PATH "Folder that contains valijson/; empty for the system's copy or a pinned release")

# Searches the system first. FETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER uses the pinned releases.
function(_gpubench_pin name url sha256)
  FetchContent_Declare(${name} URL "${url}" URL_HASH SHA256=${sha256} DOWNLOAD_EXTRACT_TIMESTAMP OFF
    SYSTEM FIND_PACKAGE_ARGS)
endfunction()

_gpubench_pin(CLI11 https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.5.0.tar.gz
  17e02b4cddc2fa348e5dbdbb582c59a3486fa2b2433e70a0c3bacb871334fd55)
_gpubench_pin(fmt https://github.com/fmtlib/fmt/archive/refs/tags/10.2.1.tar.gz
  1250e4cc58bf06ee631567523f48848dc4596133e163f02615c97f78bab6c811)
_gpubench_pin(nlohmann_json https://github.com/nlohmann/json/releases/download/v3.12.0/json.tar.xz
  42f6e95cad6ec532fd372391373363b62a14af6d771056dbfc86160e6dfff7aa)
_gpubench_pin(Catch2 https://github.com/catchorg/Catch2/archive/refs/tags/v3.4.0.tar.gz
  122928b814b75717316c71af69bd2b43387643ba076a6ec16e7882bfb2dfacbb)
_gpubench_pin(FastFloat https://github.com/fastfloat/fast_float/archive/refs/tags/v8.0.2.tar.gz
  e14a33089712b681d74d94e2a11362643bd7d769ae8f7e7caefe955f57f7eacd)
_gpubench_pin(valijson https://github.com/tristanpenman/valijson/archive/refs/tags/v1.0.6.tar.gz
  bf0839de19510ff7792d8a8aca94ea11a288775726b36c4c9a2662651870f8da)

# LibTorch ships the headers of a newer fmt. A folder that contains only the right ones is searched
# before LibTorch's. Their own folder cannot be used: it may be /usr/include, which compilers do not
# move to the front.
function(_gpubench_fmt_before_torch)
  set(include "${fmt_SOURCE_DIR}/include")
  if(NOT fmt_SOURCE_DIR)
    get_target_property(include fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/generated/fmt_include")
  file(MAKE_DIRECTORY "${folder}")
  file(CREATE_LINK "${include}/fmt" "${folder}/fmt" SYMBOLIC)
  target_include_directories(gpubench::torch SYSTEM BEFORE INTERFACE "${folder}")
endfunction()

# Compiles main() of Catch2 2 here, because distributions compile theirs for an older C++ standard.
function(_gpubench_catch2)
  add_library(gpubench_catch2 INTERFACE)
  add_library(gpubench::catch2 ALIAS gpubench_catch2)
  if(NOT Catch2_VERSION OR Catch2_VERSION VERSION_GREATER_EQUAL 3)
    target_link_libraries(gpubench_catch2 INTERFACE Catch2::Catch2WithMain)
    return()
  endif()
  set(main "${CMAKE_CURRENT_BINARY_DIR}/generated/catch2_main.cpp")
  file(CONFIGURE OUTPUT "${main}" CONTENT "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
  add_library(gpubench_catch2_main STATIC "${main}")
  target_compile_features(gpubench_catch2_main PUBLIC cxx_std_20)
  target_link_libraries(gpubench_catch2_main PUBLIC Catch2::Catch2)
  target_link_libraries(gpubench_catch2 INTERFACE gpubench_catch2_main)
endfunction()

# Version 1.0 exports its target without a namespace.
function(_gpubench_valijson)
  add_library(gpubench_valijson INTERFACE)
  add_library(gpubench::valijson ALIAS gpubench_valijson)
  if(GPUBENCH_VALIJSON)
    target_include_directories(gpubench_valijson SYSTEM INTERFACE "${GPUBENCH_VALIJSON}")
    return()
  endif()
  FetchContent_MakeAvailable(valijson)
  if(TARGET ValiJSON::valijson)
    target_link_libraries(gpubench_valijson INTERFACE ValiJSON::valijson)
  else()
    target_link_libraries(gpubench_valijson INTERFACE valijson)
  endif()
endfunction()

gpubench_require_system()
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
set(FASTFLOAT_INSTALL OFF CACHE INTERNAL "")
FetchContent_MakeAvailable(CLI11 fmt nlohmann_json FastFloat)
_gpubench_fmt_before_torch()
if(BUILD_TESTING)
  _gpubench_valijson()
  FetchContent_MakeAvailable(Catch2)
  _gpubench_catch2()
  # Finds catch_discover_tests in the system's Catch2 or in the fetched one.
  list(APPEND CMAKE_MODULE_PATH "${Catch2_DIR}" "${catch2_SOURCE_DIR}/extras")
  include(Catch)
endif()
