# gpubench_suites names what does not fit, and keeps texts as they are: run with cmake -P.

cmake_minimum_required(VERSION 3.25)

set(module "${CMAKE_CURRENT_LIST_DIR}/../../scripts/cmake/GpubenchSuites.cmake")
string(RANDOM LENGTH 12 suffix)
set(work "${CMAKE_CURRENT_BINARY_DIR}/suites_test.${suffix}")

# Text that CMake would be tempted to interpret.
set(awkward "// \"a\"; [b] \${c} @d@ \\n\n{}\n")

# catalog.def with the text, plus files with awkward text; then what the function does there. Sets failed, output and
# source.
function(try_suites definition files)
  file(REMOVE_RECURSE "${work}")
  file(WRITE "${work}/suites/catalog.def" "${definition}")
  foreach(file IN LISTS files)
    file(WRITE "${work}/suites/${file}" "${awkward}")
  endforeach()
  file(WRITE "${work}/run.cmake" "cmake_minimum_required(VERSION 3.25)
    include(\"${module}\")
    gpubench_suites(suites \"${work}/suites.cpp\")\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -P run.cmake WORKING_DIRECTORY "${work}"
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(source "")
  if(EXISTS "${work}/suites.cpp")
    file(READ "${work}/suites.cpp" source)
  endif()
  file(REMOVE_RECURSE "${work}")
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(failed "${failed}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
  set(source "${source}" PARENT_SCOPE)
endfunction()

function(expect_source expected)
  string(FIND "${source}" "${expected}" place)
  if(failed OR place EQUAL -1)
    message(SEND_ERROR "expected the source to have '${expected}', got: ${output} ${source}")
  endif()
endfunction()

function(expect_failure expected)
  if(NOT failed OR NOT output MATCHES "${expected}")
    message(SEND_ERROR "expected a failure that says '${expected}', got: ${output}")
  endif()
endfunction()

try_suites("// Order is the order of the list.\nGPUBENCH_ENTRY(s1)\nGPUBENCH_ENTRY(s0)\n" "s0.json;s1.json")
expect_source("    {\"s1\", R\"suite(${awkward})suite\"},\n    {\"s0\", R\"suite(${awkward})suite\"},\n};")

try_suites("GPUBENCH_ENTRY(s0)\nGPUBENCH_ENTRY(s1)\n" "s0.json")
expect_failure("suites/catalog.def has a line for s1, but s1.json is missing")

try_suites("GPUBENCH_ENTRY(s0)\n" "s0.json;s1.json")
expect_failure("suites/s1.json has no line in catalog.def")

try_suites("GPUBENCH_ENTRY(s0)\nGPUBENCH_ENTRY(s0)\n" "s0.json")
expect_failure("two lines for s0")
