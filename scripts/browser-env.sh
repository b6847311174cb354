#!/usr/bin/env bash
# Prints the path of a Node with the packages of tests/browser; installs them and Chromium if needed.
set -euo pipefail
. "$(dirname "$0")/lib.sh"

has_chromium() {
  command -v chromium >/dev/null 2>&1 || [ -n "${BATON_TEST_CHROMIUM:-}" ]
}

has_chromium || apt_install chromium || true
has_chromium || die "Chromium is missing: install it, or set BATON_TEST_CHROMIUM to its path"
exec "$(dirname "$0")/node-env.sh" "$(dirname "$0")/../tests/browser"
