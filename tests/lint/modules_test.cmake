# Tests the modules of scripts/cmake. Run with cmake -P.

cmake_minimum_required(VERSION 3.25)

set(modules "${CMAKE_CURRENT_LIST_DIR}/../../scripts/cmake")
string(RANDOM LENGTH 12 suffix)
set(work "${CMAKE_CURRENT_BINARY_DIR}/modules_test.${suffix}")

# expect(RESULT CODE): fails unless the output of CODE contains RESULT.
function(expect result code)
  file(WRITE "${work}/run.cmake" "cmake_minimum_required(VERSION 3.25)
    list(APPEND CMAKE_MODULE_PATH \"${modules}\" \"${work}/modules\")
    include(GpubenchFolder)\n${code}")
  execute_process(COMMAND "${CMAKE_COMMAND}" -P run.cmake WORKING_DIRECTORY "${work}" OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  string(FIND "${output}" "${result}" place)
  if(place EQUAL -1)
    message(SEND_ERROR "${code}\nexpected output: ${result}\nactual output: ${output}")
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
expect_catalog("'GPUBENCH_ENTRY cnn' is not an entry" "GPUBENCH_ENTRY cnn\n" "cnn.cpp;catalog.cpp")

foreach(needs "record/document core/text" "workloads/op ops" "pages compare" "power/trace power/log")
  expect("result: fine" "_gpubench_check_layer(${needs})\nmessage(\"result: fine\")")
endforeach()
expect("core/stats needs record: dependency on a higher layer" "_gpubench_check_layer(core/stats record)")
expect("dependency between plug-in families" "_gpubench_check_layer(formats/chart power/log)")
expect("unknown layer" "_gpubench_check_layer(elsewhere core)")

# GpubenchSearch does not find libraries beside the folders of PATH.
file(WRITE "${work}/env/lib/cmake/probe/probe-config.cmake" "\n")
file(MAKE_DIRECTORY "${work}/env/bin")
expect("result: 1 0" "set(ENV{PATH} \"${work}/env/bin:\$ENV{PATH}\")
  find_package(probe QUIET)
  set(before \${probe_FOUND})
  unset(probe_DIR CACHE)
  include(GpubenchSearch)
  find_package(probe QUIET)
  message(\"result: \${before} \${probe_FOUND}\")")
# Missing libraries are listed in one message. Script mode finds no system libraries, so fake find
# modules find all but PNG.
foreach(name CURL ZLIB OpenSSL LibArchive PNG SQLite3)
  string(COMPARE NOTEQUAL ${name} PNG found)
  file(WRITE "${work}/modules/Find${name}.cmake" "set(${name}_FOUND ${found})\n")
endforeach()
expect("missing development files: PNG turbojpeg utf8proc; ask the packager"
  "set(GPUBENCH_PACKAGES_HINT \"ask the packager\")\ninclude(GpubenchSearch)\ngpubench_require_system()")
file(REMOVE_RECURSE "${work}")
