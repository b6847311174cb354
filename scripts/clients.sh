#!/usr/bin/env bash
# Runs public A2A clients against Baton and counts how often each displays the agent's answer; run by `make test-clients`.
# Usage: scripts/clients.sh [CLIENT]...   (default: all clients, and docs/clients.md is updated; `adk` selects every client
# with that prefix). The first run downloads about 3.5 GB into the cache directory; later runs need no network. Set
# BATON_BINARY to test an existing binary instead of a debug build.
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
