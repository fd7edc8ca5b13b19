# gpubench_embed(TARGET MODULE SYMBOL)
#
# Puts the file of the library MODULE into TARGET as read-only data between SYMBOL and SYMBOL_end. One file is then all
# that has to be copied, and the program starts without loading what only the library needs. Without LibTorch there is no
# module to build, and with GPUBENCH_EMBED_ENGINE off it is installed as a file: nothing stands there.

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
  # Written out, since a source's dependencies know no generator expressions.
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
