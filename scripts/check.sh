#!/usr/bin/env bash
# Quick checks before a commit: format, lints, layers, file sizes, licences.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
choose_target_dir

cargo fmt --all --check
cargo clippy --workspace --all-targets --locked -- -D warnings
cargo test --quiet --locked -p baton-house
if cargo deny --version >/dev/null 2>&1; then
  cargo deny --workspace check
else
  say "cargo-deny is not installed: licences, bans and advisories were not checked (cargo install --locked cargo-deny)"
fi
