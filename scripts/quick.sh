#!/usr/bin/env bash
# Checks for the inner loop, without network and servers: format, house rules, and all tests of the vocabulary and the
# rules (layers 0 and 1). Lints and documentation of what it compiles are checked too.
# Usage: scripts/quick.sh [-p CRATE]...   (further crates)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
choose_target_dir
lint_builds

packages=(-p baton-house "$@")
while read -r package; do
  packages+=(-p "$package")
done < <(sed -nE 's/^    \("([a-z-]+)", [01], [0-9]\),$/\1/p' tools/baton-house/src/layers.rs)
[ ${#packages[@]} -gt 10 ] || die "the layers of the crates cannot be read from tools/baton-house/src/layers.rs"

cargo fmt --all --check
if cargo nextest --version >/dev/null 2>&1; then
  cargo nextest run --locked "${packages[@]}"
else
  cargo test --quiet --locked "${packages[@]}" --lib --bins --tests
fi
