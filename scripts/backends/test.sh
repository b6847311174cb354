#!/usr/bin/env bash
# Tests Baton with third-party backends: an OpenTelemetry Collector as its source and as its target, Arize Phoenix, and an
# outage; run by `make test-backends`. The first run builds the collector and needs 1.2 GB in the cache directory.
# Usage: scripts/backends/test.sh [in-front|behind|phoenix|outage]...   (default: all)
# BATON_OUTAGE_SECONDS sets the duration of the outage (20). Set BATON_BINARY to test an existing binary instead of a
# debug build.
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
    *) die "unknown part '$part': use in-front, behind, phoenix or outage" ;;
  esac
done
say ""
say "all backend tests passed"
