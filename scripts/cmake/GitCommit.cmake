# Writes OUTPUT, a header that defines what this build is, when its text changes.
# usage, at every build: cmake -DVERSION=1.2.3 -DSOURCE_DIR=... -DOUTPUT=.../gpubench_version.h -P GitCommit.cmake

cmake_minimum_required(VERSION 3.25)

set(commit "")
# A source archive unpacked inside some other repository must not carry that one's commit.
if(EXISTS "${SOURCE_DIR}/.git")
  find_program(git git)
  if(git)
    # No tag matches, so that the answer is always a commit and never counts from a release.
    execute_process(COMMAND "${git}" describe --always --dirty --abbrev=12 --exclude "*"
      WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    execute_process(COMMAND "${git}" log -1 --format=%ct
      WORKING_DIRECTORY "${SOURCE_DIR}" OUTPUT_VARIABLE committed_at OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()

# The date of manual pages is that of the sources, so that the same sources give the same pages.
if(NOT DEFINED ENV{SOURCE_DATE_EPOCH} AND committed_at)
  set(ENV{SOURCE_DATE_EPOCH} "${committed_at}")
endif()
string(TIMESTAMP date "%B %d, %Y" UTC)
string(REPLACE " 0" " " date "${date}")

file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT "#pragma once

#define GPUBENCH_VERSION \"@VERSION@\"
#define GPUBENCH_GIT_COMMIT \"@commit@\"
#define GPUBENCH_DATE \"@date@\"
#define GPUBENCH_COMPILER \"@COMPILER@\"
#define GPUBENCH_TORCH_VERSION \"@TORCH_VERSION@\"
#define GPUBENCH_TORCH_FLAVOR \"@TORCH_FLAVOR@\"
#define GPUBENCH_TORCH_FOLDER \"@TORCH_FOLDER@\"
")
