#!/usr/bin/env bash
# Agents on real models that run here, without a network once they are fetched: a streamed conversation, and a tool call
# that runs; `make test-model` runs this. The first run keeps 1.4 GB in the cache directory.
# BATON_BINARY tests that program instead of a debug build.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh
choose_target_dir

if [ -z "${BATON_BINARY:-}" ]; then
  cargo build --quiet --locked -p baton
  BATON_BINARY="${CARGO_TARGET_DIR:-$PWD/target}/debug/baton"
fi
python="$(scripts/python-env.sh tests/python/requirements-model.txt)"
# On its own line, so that a failure ends this.
fetched="$(scripts/model/weights.sh "$python")"
mapfile -t weights <<<"$fetched"
env PYTHONDONTWRITEBYTECODE=1 "$python" tests/python/real_models.py "$BATON_BINARY" "${weights[@]}"
