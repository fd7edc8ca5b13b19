#!/usr/bin/env bash
# Installs the dependencies, builds gpubench, and runs it in the current folder.
# usage: scripts/run.sh [gpubench arguments]

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

set_up build
build gpubench
exec "$build_folder/gpubench" "$@"
