#!/usr/bin/env bash
# Prints the path of a Node that finds the packages of tests/browser, installing them and Chromium when needed.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

has_chromium() {
  command -v chromium >/dev/null 2>&1 || [ -n "${BATON_TEST_CHROMIUM:-}" ]
}

has_chromium || apt_install chromium || true
has_chromium || die "Chromium is missing: install it, or name its path in BATON_TEST_CHROMIUM"
exec "$(dirname "$0")/node-env.sh" "$(dirname "$0")/../tests/browser"
