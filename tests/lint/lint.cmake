# Tests of the code itself. A tool that is missing skips its test with a printed reason; ctest reports it as skipped.

set(lint ${CMAKE_CURRENT_SOURCE_DIR}/lint)
add_test(NAME lint.floors COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${lint}/floors_test.cmake)
add_test(NAME lint.catalog COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${lint}/catalog_test.cmake)
add_test(NAME lint.suites COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${lint}/suites_test.cmake)
add_test(NAME lint.texts COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -P ${lint}/texts_test.cmake)
foreach(tool format tidy shell)
  add_test(NAME lint.${tool} COMMAND bash ${lint}/${tool}_test.sh ${PROJECT_SOURCE_DIR})
  set_tests_properties(lint.${tool} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 600)
endforeach()

# Each public header alone, so that none leans on what was included before it.
file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/include/*.h)
foreach(header IN LISTS headers)
  string(MAKE_C_IDENTIFIER ${header} name)
  set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
  file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
  list(APPEND header_sources ${source})
endforeach()
add_library(gpubench_headers OBJECT ${header_sources})
target_include_directories(gpubench_headers PRIVATE ${PROJECT_SOURCE_DIR}/include)
target_link_libraries(gpubench_headers PRIVATE gpubench_options gpubench::torch nlohmann_json::nlohmann_json)
