#!/usr/bin/env bash
# Tests agents with real local models: a streamed conversation and a tool call; run by `make test-model`. The first run
# downloads 1.4 GB into the cache directory; later runs need no network. Set BATON_BINARY to test an existing binary
# instead of a debug build.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh
choose_target_dir

if [ -z "${BATON_BINARY:-}" ]; then
  cargo build --quiet --locked -p baton
  BATON_BINARY="${CARGO_TARGET_DIR:-$PWD/target}/debug/baton"
fi
python="$(scripts/python-env.sh tests/python/requirements-model.txt)"
# A separate assignment, so that a failure ends the script.
fetched="$(scripts/model/weights.sh "$python")"
mapfile -t weights <<<"$fetched"
env PYTHONDONTWRITEBYTECODE=1 "$python" tests/python/real_models.py "$BATON_BINARY" "${weights[@]}"
