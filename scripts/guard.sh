#!/usr/bin/env bash
# Counts what operations of Baton cost, and compares the figures with bench/baseline.json.
# Usage: scripts/guard.sh                   compare; run by `make guard` and `make test`
#        scripts/guard.sh --renew REASON    write the figures; run by `make baseline`
#        scripts/guard.sh --plant           plant costs and check that each is noticed
#        scripts/guard.sh --repeat TIMES    count several times and print how far the counts differ
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
choose_target_dir
lint_builds
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$PWD/target}"

export PYTHONDONTWRITEBYTECODE=1
[ "${1:-}" = --renew ] || python3 -m unittest discover --quiet bench

if ! command -v valgrind >/dev/null 2>&1; then
  [ -z "${CI:-}" ] || die "valgrind is missing; CI must count the cost of operations"
  say "valgrind is not installed: the cost of operations is not counted (Debian, Ubuntu: apt install valgrind)"
  exit 0
fi

say "building the counted program"
cargo build --profile guard --locked --manifest-path bench/Cargo.toml -p operations >&2
exec python3 bench/guard.py --program "$CARGO_TARGET_DIR/guard/operations" "$@"
