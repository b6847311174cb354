#!/usr/bin/env bash
# Checks the tools required by `make test`; installs missing ones where this needs no prompt.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

command -v cargo >/dev/null 2>&1 || die "cargo is missing: install Rust from https://rustup.rs"

for component in fmt:rustfmt clippy:clippy; do
  if ! cargo "${component%%:*}" --version >/dev/null 2>&1; then
    command -v rustup >/dev/null 2>&1 || die "cargo ${component%%:*} is missing: install the ${component##*:} component"
    say "adding the ${component##*:} component"
    rustup component add "${component##*:}" >&2
  fi
done

# SQLite is compiled from source.
command -v cc >/dev/null 2>&1 || apt_install gcc libc6-dev || die "a C compiler is missing: install gcc or clang"

# It counts the cost of operations; scripts/guard.sh skips the count without it, except in CI.
command -v valgrind >/dev/null 2>&1 || apt_install valgrind || say "valgrind cannot be installed here"

say "rust      $(rustc --version)"
if cargo nextest --version >/dev/null 2>&1; then
  say "tests     $(cargo nextest --version | head -n 1)"
else
  say "tests     cargo test (cargo-nextest is not installed; it would also time out single tests)"
fi
