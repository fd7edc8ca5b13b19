# Where libraries are looked for: in the system and under CMAKE_PREFIX_PATH. A folder of programs on PATH, such as that of an
# active conda environment, brings no libraries of its own, which would be others than those found when the program runs; and
# the frameworks that programs leave on a Mac come last.

include_guard(GLOBAL)

set(CMAKE_FIND_USE_SYSTEM_ENVIRONMENT_PATH OFF)
set(CMAKE_FIND_FRAMEWORK LAST)
