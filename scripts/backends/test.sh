#!/usr/bin/env bash
# Baton among backends that others wrote: an OpenTelemetry Collector in front of it and behind it, Arize Phoenix, and an
# outage; `make test-backends` runs this. The first run builds the collector and keeps 1.2 GB in the cache directory.
# Usage: scripts/backends/test.sh [in-front|behind|phoenix|outage]...   (default: all)
# BATON_OUTAGE_SECONDS says how long the collector is away (20); BATON_BINARY tests that program instead of a debug build.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh
choose_target_dir

parts=("$@")
[ "${#parts[@]}" -gt 0 ] || parts=(in-front behind phoenix outage)
if [ -z "${BATON_BINARY:-}" ]; then
  cargo build --quiet --locked -p baton
  BATON_BINARY="${CARGO_TARGET_DIR:-$PWD/target}/debug/baton"
fi
python="$(scripts/python-env.sh tests/python/requirements-otel.txt)"
check() {
  local script="$1"
  shift
  env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/tests/python" "$python" "scripts/backends/$script" "$BATON_BINARY" "$@"
}
for part in "${parts[@]}"; do
  say ""
  say "== $part"
  case "$part" in
    in-front) check in_front.py "$(scripts/backends/collector.sh)" "$(scripts/node-env.sh tests/otel)" ;;
    behind) check behind.py "$(scripts/backends/collector.sh)" ;;
    phoenix) check phoenix.py "$(dirname "$(scripts/python-env.sh scripts/backends/requirements-phoenix.txt)")/phoenix" ;;
    outage) check outage.py "$(scripts/backends/collector.sh)" "${BATON_OUTAGE_SECONDS:-20}" ;;
    *) die "there is no part '$part': in-front, behind, phoenix and outage are there" ;;
  esac
done
say ""
say "all backends agree"
