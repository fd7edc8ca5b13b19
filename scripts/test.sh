#!/usr/bin/env bash
# Installs the dependencies, builds gpubench and its tests, and runs the tests.
# usage: scripts/test.sh [ctest arguments]

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

set_up test
build all
exec ctest --test-dir "$build_folder" --output-on-failure --no-tests=error -j "$(job_count)" "$@"
