# gpubench_unity(OUT NAME BASE FILE...)
#
# Sets OUT to sources that together include the absolute FILEs, up to ten each, so that headers are read once for several
# files; to the FILEs themselves without GPUBENCH_UNITY. CMake's own UNITY_BUILD writes absolute paths into its sources, which a
# compiler cache takes for different text in every clone. These are paths below BASE, a folder that the target searches.

include_guard(GLOBAL)

function(gpubench_unity out name base)
  if(NOT GPUBENCH_UNITY)
    set(${out} "${ARGN}" PARENT_SCOPE)
    return()
  endif()
  list(LENGTH ARGN count)
  math(EXPR units "(${count} + 9) / 10")
  set(sources "")
  set(first 0)
  set(unit 0)
  while(first LESS count)
    # Units of equal size, for cores that compile at the same time.
    math(EXPR size "(${count} - ${first} + ${units} - ${unit} - 1) / (${units} - ${unit})")
    list(SUBLIST ARGN ${first} ${size} batch)
    set(text "")
    foreach(file IN LISTS batch)
      file(RELATIVE_PATH path "${base}" "${file}")
      string(APPEND text "#include \"${path}\"\n")
    endforeach()
    set(source "${CMAKE_CURRENT_BINARY_DIR}/${name}_${unit}.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "${text}")
    list(APPEND sources "${source}")
    math(EXPR first "${first} + ${size}")
    math(EXPR unit "${unit} + 1")
  endwhile()
  set(${out} "${sources}" PARENT_SCOPE)
endfunction()
