#!/usr/bin/env bash
# Public clients against the built Baton: how often does each show the agent's answer? `make test-clients` runs this.
# Usage: scripts/clients.sh [CLIENT]...   (default: all, and the table of docs/clients.md is written; `adk` means each that
# begins so). The first run fetches about 3.5 GB into the cache directory; later ones need no network. BATON_BINARY names a
# program to test instead of a debug build.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

binary=${BATON_BINARY:-}
if [ -z "$binary" ]; then
  choose_target_dir
  cargo build --quiet --locked -p baton
  binary=${CARGO_TARGET_DIR:-$PWD/target}/debug/baton
fi
exec env PYTHONDONTWRITEBYTECODE=1 python3 scripts/clients.py --baton "$binary" "$@"
