# gpubench_embed(TARGET MODULE SYMBOL)
#
# Embeds the file of the library MODULE in TARGET as read-only data between SYMBOL and SYMBOL_end.
# The program is then a single file and starts without the dependencies of the library. The data is
# empty without LibTorch, or if GPUBENCH_EMBED_ENGINE is off and the library is installed as a file.

enable_language(ASM)

function(gpubench_embed target module symbol)
  set(section ".section .rodata")
  set(prefix "")
  set(note ".section .note.GNU-stack,\"\",%progbits")
  if(APPLE)
    set(section ".const")
    set(prefix "_")
    set(note "")
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/${symbol}.S")
  # OBJECT_DEPENDS does not support generator expressions, so compute the path of the library.
  set_target_properties(${module} PROPERTIES LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
  set(file "${PROJECT_BINARY_DIR}/${CMAKE_SHARED_MODULE_PREFIX}${module}${CMAKE_SHARED_MODULE_SUFFIX}")
  if(GPUBENCH_TORCH_FLAVOR STREQUAL none OR NOT GPUBENCH_EMBED_ENGINE)
    set(file "${PROJECT_BINARY_DIR}/generated/no_${module}")
    file(CONFIGURE OUTPUT "${file}" CONTENT "")
  else()
    add_dependencies(${target} ${module})
  endif()
  file(CONFIGURE OUTPUT "${source}" CONTENT "${section}
.globl ${prefix}${symbol}
.globl ${prefix}${symbol}_end
.p2align 12
${prefix}${symbol}:
.incbin \"${file}\"
${prefix}${symbol}_end:
.byte 0
${note}
")
  target_sources(${target} PRIVATE "${source}")
  set_source_files_properties("${source}" PROPERTIES LANGUAGE ASM OBJECT_DEPENDS "${file}")
endfunction()
