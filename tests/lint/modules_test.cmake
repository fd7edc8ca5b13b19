# The modules of scripts/cmake refuse what does not fit: run with cmake -P.

cmake_minimum_required(VERSION 3.25)

set(modules "${CMAKE_CURRENT_LIST_DIR}/../../scripts/cmake")
string(RANDOM LENGTH 12 suffix)
set(work "${CMAKE_CURRENT_BINARY_DIR}/modules_test.${suffix}")

# expect(RESULT CODE): CODE prints "result: RESULT", or fails with RESULT in its message.
function(expect result code)
  file(WRITE "${work}/run.cmake" "cmake_minimum_required(VERSION 3.25)
    list(APPEND CMAKE_MODULE_PATH \"${modules}\" \"${work}/modules\")
    include(GpubenchFolder)\n${code}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -P run.cmake WORKING_DIRECTORY "${work}" OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${result}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "${code}\nshould print: ${result}\ngot: ${output}")
  endif()
endfunction()

# expect_catalog(RESULT LINES FILES)
function(expect_catalog result lines files)
  file(REMOVE_RECURSE "${work}/plugins")
  file(WRITE "${work}/plugins/catalog.def" "${lines}")
  foreach(file IN LISTS files)
    file(WRITE "${work}/plugins/${file}" "")
  endforeach()
  expect("${result}" "gpubench_catalog(sources plugins SHARED catalog.cpp)\nmessage(\"result: \${sources} end\")")
endfunction()

expect_catalog("result: plugins/vit.cpp;plugins/cnn.cpp;plugins/catalog.cpp end"
  "// In the order of help texts.\n\nGPUBENCH_ENTRY(vit)  // attention; patches\nGPUBENCH_ENTRY(cnn)\n" "cnn.cpp;vit.cpp;catalog.cpp")
expect_catalog("result: plugins/cnn.cpp;plugins/vit.cpp;plugins/catalog.cpp end"
  "GPUBENCH_ENTRY(cnn)\nGPUBENCH_ENTRY(vit)\nGPUBENCH_ENTRY(cnn1, cnn)\n" "cnn.cpp;vit.cpp;catalog.cpp")
expect_catalog("has a line for vit, but vit.cpp is missing" "GPUBENCH_ENTRY(vit)\n" "catalog.cpp")
expect_catalog("plugins/vit.cpp has no line in catalog.def" "GPUBENCH_ENTRY(cnn)\n" "cnn.cpp;vit.cpp;catalog.cpp")
expect_catalog("two lines for cnn" "GPUBENCH_ENTRY(cnn)\nGPUBENCH_ENTRY(cnn)\n" "cnn.cpp;catalog.cpp")
expect_catalog("'GPUBENCH_ENTRY cnn' is no entry" "GPUBENCH_ENTRY cnn\n" "cnn.cpp;catalog.cpp")

foreach(needs "record/document core/text" "workloads/op ops" "pages compare" "power/trace power/log")
  expect("result: fine" "_gpubench_check_floor(${needs})\nmessage(\"result: fine\")")
endforeach()
expect("record, which is a floor above it" "_gpubench_check_floor(core/stats record)")
expect("plug-in families do not need each other" "_gpubench_check_floor(formats/chart power/log)")
expect("no floor is known" "_gpubench_check_floor(elsewhere core)")

# A folder of programs on PATH brings no libraries.
file(WRITE "${work}/env/lib/cmake/probe/probe-config.cmake" "\n")
file(MAKE_DIRECTORY "${work}/env/bin")
expect("result: 1 0" "set(ENV{PATH} \"${work}/env/bin:\$ENV{PATH}\")
  find_package(probe QUIET)
  set(before \${probe_FOUND})
  unset(probe_DIR CACHE)
  include(GpubenchSearch)
  find_package(probe QUIET)
  message(\"result: \${before} \${probe_FOUND}\")")
# Outside a project CMake finds no library of the system; PNG is missing here too.
foreach(name CURL ZLIB OpenSSL LibArchive PNG SQLite3)
  string(COMPARE NOTEQUAL ${name} PNG found)
  file(WRITE "${work}/modules/Find${name}.cmake" "set(${name}_FOUND ${found})\n")
endforeach()
expect("missing of: PNG turbojpeg utf8proc; ask the packager"
  "set(GPUBENCH_PACKAGES_HINT \"ask the packager\")\ninclude(GpubenchSearch)\ngpubench_require_system()")
file(REMOVE_RECURSE "${work}")
