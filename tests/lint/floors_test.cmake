# gpubench_folder names a need that points up, or at a neighbour: run with cmake -P.

cmake_minimum_required(VERSION 3.25)

set(module "${CMAKE_CURRENT_LIST_DIR}/../../scripts/cmake")
string(RANDOM LENGTH 12 suffix)
set(work "${CMAKE_CURRENT_BINARY_DIR}/floors_test.${suffix}")

# Sets failed and output.
function(try_need folder need)
  file(WRITE "${work}/run.cmake" "cmake_minimum_required(VERSION 3.25)
    list(APPEND CMAKE_MODULE_PATH \"${module}\")
    include(GpubenchFolder)
    _gpubench_check_floor(${folder} ${need})\n")
  execute_process(COMMAND "${CMAKE_COMMAND}" -P run.cmake WORKING_DIRECTORY "${work}"
    RESULT_VARIABLE failed OUTPUT_VARIABLE output ERROR_VARIABLE output)
  file(REMOVE_RECURSE "${work}")
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
  set(failed "${failed}" PARENT_SCOPE)
  set(output "${output}" PARENT_SCOPE)
endfunction()

function(expect_need folder need)
  try_need(${folder} ${need})
  if(failed)
    message(SEND_ERROR "${folder} should be allowed to need ${need}, got: ${output}")
  endif()
endfunction()

function(expect_refusal folder need expected)
  try_need(${folder} ${need})
  if(NOT failed OR NOT output MATCHES "${expected}")
    message(SEND_ERROR "expected a refusal that says '${expected}', got: ${output}")
  endif()
endfunction()

expect_need(record/document core/text)
expect_need(engine/ops ops)
expect_need(pages compare)
expect_need(power/trace power/log)
expect_refusal(core/stats record "record, which is a floor above it")
expect_refusal(engine/plan app "app, which is a floor above it")
expect_refusal(models data "plug-in families do not need each other")
expect_refusal(formats/chart power/log "plug-in families do not need each other")
expect_refusal(elsewhere core "no floor is known")
