#!/usr/bin/env bash
# Builds gpubench, with all that it needs, and runs it from the folder where the caller is.
# usage: scripts/run.sh [gpubench arguments]

set -euo pipefail
# shellcheck source=scripts/lib/build.sh
source "$(dirname "${BASH_SOURCE[0]}")/lib/build.sh"

set_up build
build gpubench
exec "$build_folder/gpubench" "$@"
