# Writes the header OUTPUT with version, commit and compiler of this build, if its text changes.
# usage: cmake -DVERSION=1.2.3 -DSOURCE_DIR=... -DOUTPUT=.../gpubench_version.h -P GitCommit.cmake

cmake_minimum_required(VERSION 3.25)

set(commit "")
# A source archive inside another repository must not report the commit of that repository.
if(EXISTS "${SOURCE_DIR}/.git")
  find_program(git git)
  if(git)
    # Exclude all tags: the output is then always a commit, never a distance from a release.
    execute_process(COMMAND "${git}" describe --always --dirty --abbrev=12 --exclude "*"
      WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT "#pragma once

#define GPUBENCH_VERSION \"@VERSION@\"
#define GPUBENCH_GIT_COMMIT \"@commit@\"
#define GPUBENCH_COMPILER \"@COMPILER@\"
#define GPUBENCH_TORCH_VERSION \"@TORCH_VERSION@\"
#define GPUBENCH_TORCH_FLAVOR \"@TORCH_FLAVOR@\"
#define GPUBENCH_TORCH_FOLDER \"@TORCH_FOLDER@\"
")
