# gpubench_texts keeps texts as they are, and its hashes are those of OpenSSL: run with cmake -P.

cmake_minimum_required(VERSION 3.25)

set(module "${CMAKE_CURRENT_LIST_DIR}/../../scripts/cmake/GpubenchTexts.cmake")
string(RANDOM LENGTH 12 suffix)
set(work "${CMAKE_CURRENT_BINARY_DIR}/texts_test.${suffix}")

# Text that CMake would be tempted to interpret.
set(awkward "@page { } [b] \${c} @d@ \\n \"a\"; ;\n")
file(WRITE "${work}/a.css" "${awkward}")
# printf abc | openssl dgst -sha256 -binary | base64
file(WRITE "${work}/b.js" "abc")
file(WRITE "${work}/run.cmake" "cmake_minimum_required(VERSION 3.25)
  include(\"${module}\")
  gpubench_texts(\"${work}/texts.cpp\" a.css b.js)\n")
execute_process(COMMAND "${CMAKE_COMMAND}" -P run.cmake WORKING_DIRECTORY "${work}" RESULT_VARIABLE failed)
file(READ "${work}/texts.cpp" source)
file(REMOVE_RECURSE "${work}")

function(expect_source expected)
  string(FIND "${source}" "${expected}" place)
  if(failed OR place EQUAL -1)
    message(SEND_ERROR "expected the source to have '${expected}', got: ${source}")
  endif()
endfunction()

expect_source("std::string_view a_css() { return R\"text(${awkward})text\"; }")
expect_source("std::string_view b_js() { return R\"text(abc)text\"; }")
expect_source("std::string_view b_js_sha256() { return \"ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=\"; }")
