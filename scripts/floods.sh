#!/usr/bin/env bash
# Floods Baton with requests on loopback and checks its memory and health probe; arguments are passed to floods.py.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

binary=${BATON_BINARY:-}
if [ -z "$binary" ]; then
  choose_target_dir
  cargo build -q -p baton
  binary=${CARGO_TARGET_DIR:-target}/debug/baton
fi
exec python3 scripts/floods.py --baton "$binary" "$@"
