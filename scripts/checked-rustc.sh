#!/usr/bin/env bash
# Compiles a crate of the workspace with clippy's lints and then checks its documentation; warnings are errors.
# `lint_builds` in lib.sh makes it cargo's RUSTC_WORKSPACE_WRAPPER. A test run compiles everything once that way; `cargo
# clippy` and `cargo doc` would compile all dependencies and the workspace again.
# Usage: scripts/checked-rustc.sh RUSTC ARGUMENT...
set -euo pipefail

clippy-driver "$@"

source="" documented="" kept=() lints=(-D warnings)
shift
while [ $# -gt 0 ]; do
  case "$1" in
    # Test code has no documentation, and cargo asks about the compiler with `-`.
    --test | - | build_script_build) exit 0 ;;
    --out-dir | -C) shift ;;
    -C* | --emit=* | --warn=* | --deny=* | --forbid=* | --allow=*) ;;
    --crate-type)
      # As cargo does for programs: their items are all private.
      [ "$2" != bin ] || lints+=(-A rustdoc::private-intra-doc-links --document-private-items)
      documented=yes
      kept+=("$1" "$2")
      shift
      ;;
    *.rs)
      source="$1"
      kept+=("$1")
      ;;
    *) kept+=("$1") ;;
  esac
  shift
done
[ -n "$source" ] && [ -n "$documented" ] || exit 0

# The pages themselves are of no use here.
pages="$(mktemp -d)"
trap 'rm -rf "$pages"' EXIT
rustdoc "${kept[@]}" "${lints[@]}" --out-dir "$pages"
