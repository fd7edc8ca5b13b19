# gpubench_catalog names what does not fit: run with cmake -P.

cmake_minimum_required(VERSION 3.25)

set(module "${CMAKE_CURRENT_LIST_DIR}/../../scripts/cmake/GpubenchCatalog.cmake")
string(RANDOM LENGTH 12 suffix)
set(work "${CMAKE_CURRENT_BINARY_DIR}/catalog_test.${suffix}")

# catalog.def with the text, plus empty sources; then what the function does there. Sets failed and output.
function(try_catalog definition files)
  file(REMOVE_RECURSE "${work}")
  file(WRITE "${work}/plugins/catalog.def" "${definition}")
  foreach(file IN LISTS files)
    file(WRITE "${work}/plugins/${file}" "")
  endforeach()
  file(WRITE "${work}/run.cmake" "cmake_minimum_required(VERSION 3.25)
    include(\"${module}\")
    gpubench_catalog(sources plugins SHARED catalog.cpp)
    message(\"sources: \${sources}\")\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -P run.cmake WORKING_DIRECTORY "${work}"
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  file(REMOVE_RECURSE "${work}")
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(failed "${failed}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_sources expected)
  if(failed OR NOT output MATCHES "sources: ${expected} ?$")
    message(SEND_ERROR "expected the sources ${expected}, got: ${output}")
  endif()
endfunction()

function(expect_failure expected)
  if(NOT failed OR NOT output MATCHES "${expected}")
    message(SEND_ERROR "expected a failure that says '${expected}', got: ${output}")
  endif()
endfunction()

try_catalog("// Order is the order of help texts.\n\nGPUBENCH_ENTRY(vit)  // attention; patches\nGPUBENCH_ENTRY(cnn)\n"
  "cnn.cpp;vit.cpp;catalog.cpp")
expect_sources("plugins/vit.cpp;plugins/cnn.cpp;plugins/catalog.cpp")

try_catalog("GPUBENCH_ENTRY(vit)\nGPUBENCH_ENTRY(cnn)\n" "cnn.cpp;catalog.cpp")
expect_failure("plugins/catalog.def has a line for vit, but vit.cpp is missing")

try_catalog("GPUBENCH_ENTRY(cnn)\n" "cnn.cpp;vit.cpp;catalog.cpp")
expect_failure("plugins/vit.cpp has no line in catalog.def")

try_catalog("GPUBENCH_ENTRY(cnn)\nGPUBENCH_ENTRY(cnn)\n" "cnn.cpp;catalog.cpp")
expect_failure("two lines for cnn")

try_catalog("GPUBENCH_ENTRY cnn\n" "cnn.cpp;catalog.cpp")
expect_failure("'GPUBENCH_ENTRY cnn' is no entry")
