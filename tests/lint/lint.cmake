# Static checks of the sources. If a tool is missing, its test prints the reason and is skipped.

set(lint ${CMAKE_CURRENT_SOURCE_DIR}/lint)
add_test(NAME lint.modules COMMAND ${CMAKE_COMMAND} -P ${lint}/modules_test.cmake)
set(tidy bash ${lint}/tidy_test.sh ${PROJECT_SOURCE_DIR} "$<TARGET_PROPERTY:gpubench::valijson,INTERFACE_INCLUDE_DIRECTORIES>")
add_test(NAME lint.format COMMAND bash ${lint}/format_test.sh ${PROJECT_SOURCE_DIR})
add_test(NAME lint.tidy COMMAND ${tidy} COMMAND_EXPAND_LISTS)
add_test(NAME lint.shell COMMAND bash ${lint}/shell_test.sh ${PROJECT_SOURCE_DIR})
# The first run checks every source, which takes half an hour on two busy cores.
foreach(tool format tidy shell)
  set_tests_properties(lint.${tool} PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 5400)
endforeach()

add_test(NAME lint.links COMMAND bash ${lint}/links_test.sh ${PROJECT_SOURCE_DIR})
add_test(NAME lint.includes COMMAND bash ${lint}/includes_test.sh ${PROJECT_SOURCE_DIR})
add_test(NAME lint.prose COMMAND bash ${lint}/prose_test.sh ${PROJECT_SOURCE_DIR} $<TARGET_FILE:gpubench>)

# Clang's static analyzer, which takes minutes.
add_custom_target(analyzer COMMAND ${tidy} analyzer COMMAND_EXPAND_LISTS VERBATIM USES_TERMINAL)

add_test(NAME lint.hardening COMMAND bash ${lint}/hardening_test.sh $<TARGET_FILE:gpubench> $<TARGET_FILE:gpubench_engine>)
set_tests_properties(lint.hardening PROPERTIES SKIP_RETURN_CODE 77)

# Compiles the macOS sources with Clang, libc++ and a stub of Apple's headers.
add_test(NAME lint.apple COMMAND bash ${lint}/apple_test.sh ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR} ${clang_warnings}
         "$<TARGET_PROPERTY:fmt::fmt,INTERFACE_INCLUDE_DIRECTORIES>" COMMAND_EXPAND_LISTS)
set_tests_properties(lint.apple PROPERTIES SKIP_RETURN_CODE 77)

# Compiles each header alone to find missing includes; not part of the tests.
set(roots include src models)
foreach(root IN LISTS roots)
  file(GLOB_RECURSE headers RELATIVE ${PROJECT_SOURCE_DIR}/${root} ${PROJECT_SOURCE_DIR}/${root}/*.h)
  foreach(header IN LISTS headers)
    string(MAKE_C_IDENTIFIER ${header} name)
    set(source ${CMAKE_CURRENT_BINARY_DIR}/headers/${name}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${header}\"\n")
    list(APPEND header_sources ${source})
  endforeach()
endforeach()
add_library(gpubench_headers OBJECT EXCLUDE_FROM_ALL ${header_sources})
target_include_directories(gpubench_headers PRIVATE ${PROJECT_SOURCE_DIR}/models)
target_link_libraries(gpubench_headers PRIVATE gpubench_options gpubench::torch nlohmann_json::nlohmann_json CLI11::CLI11)
