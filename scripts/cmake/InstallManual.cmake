# Run by the installation: manual pages of all commands, made by the program itself, and of docs/ where cmark-gfm is there to
# read Markdown. in: program, docs, version, awk_script; DESTDIR of the environment.

set(folder "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}/share/man")
file(MAKE_DIRECTORY "${folder}/man1")
execute_process(COMMAND "${program}" help --man "${folder}/man1" COMMAND_ERROR_IS_FATAL ANY)

find_program(cmark cmark-gfm)
if(NOT cmark)
  message(STATUS "no manual pages of the documentation: cmark-gfm is missing")
  return()
endif()
file(MAKE_DIRECTORY "${folder}/man7")
file(STRINGS "${folder}/man1/gpubench.1" first REGEX "^\\.Dd")
string(REPLACE ".Dd " "" date "${first}")
file(GLOB pages "${docs}/*.md")
foreach(page IN LISTS pages)
  get_filename_component(name "${page}" NAME_WE)
  execute_process(COMMAND "${cmark}" -e table -t man "${page}"
    COMMAND awk -v "page=${name}" -v "date=${date}" -v "version=${version}" -f "${awk_script}"
    OUTPUT_FILE "${folder}/man7/gpubench-${name}.7" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
