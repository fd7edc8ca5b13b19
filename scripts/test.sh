#!/usr/bin/env bash
# Builds what scripts/run.sh builds and the tests, and runs them.
# usage: scripts/test.sh [ctest arguments]

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

set_up test
build all
exec ctest --test-dir "$build_folder" --output-on-failure --no-tests=error -j "$(job_count)" "$@"
