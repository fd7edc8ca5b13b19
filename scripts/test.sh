#!/usr/bin/env bash
# Builds everything, warnings as errors, and runs the tests.
# usage: scripts/test.sh [ctest arguments]

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

set_up ci test
build ci
exec ctest --test-dir "$root/build/ci" --output-on-failure --no-tests=error -j "$(job_count)" "$@"
