# gpubench_unity(OUT NAME BASE FILE...)
#
# Sets OUT to generated sources that each include up to ten of the absolute FILEs, so that headers
# are parsed once for several files. Without GPUBENCH_UNITY, sets OUT to the FILEs. CMake's
# UNITY_BUILD is not usable: it writes absolute paths, which differ between clones and defeat
# compiler caches. These paths are relative to BASE, an include folder of the target.

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
    # Units of equal size, to use all cores.
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
