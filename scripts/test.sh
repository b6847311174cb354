#!/usr/bin/env bash
# All tests and checks in stages, with the time of each; run by `make test` and CI.
# A stage gets the rest of the time budget (BATON_TEST_BUDGET seconds, 4500 by default) and is stopped when it is used up.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
choose_target_dir

budget="${BATON_TEST_BUDGET:-4500}"
SECONDS=0
report=()
failed=""

finish() {
  local status=$?
  say ""
  say "stage                seconds"
  local line
  for line in ${report[@]+"${report[@]}"}; do say "$line"; done
  say "$(printf '%-20s %7d   of %d' total "$SECONDS" "$budget")"
  if [ "$status" = 0 ]; then
    say "all stages passed"
  else
    say "FAILED in stage: ${failed:-set-up}"
  fi
}
trap finish EXIT

# stage NAME COMMAND...
stage() {
  local name="$1" begun="$SECONDS" status=0 left
  shift
  failed="$name"
  left=$((budget - SECONDS))
  [ "$left" -gt 0 ] || die "the budget of $budget seconds is used up before stage '$name'"
  say ""
  say "== $name: $*"
  if command -v timeout >/dev/null 2>&1; then
    # At a terminal, Ctrl-C must reach the stage; otherwise the timeout must also end the stage's child processes.
    timeout $([ -t 0 ] && echo --foreground) --kill-after=20 "$left" "$@" || status=$?
  else
    "$@" || status=$?
  fi
  report+=("$(printf '%-20s %7d%s' "$name" $((SECONDS - begun)) "$([ "$status" = 0 ] || echo '   FAILED')")")
  if [ "$status" = 124 ] || [ "$SECONDS" -gt "$budget" ]; then
    die "stage '$name' exceeded the budget of $budget seconds"
  fi
  [ "$status" = 0 ] || exit "$status"
}

stage tools scripts/tools.sh
# Sets up an environment for tests with third-party clients: environment STAGE VARIABLE COMMAND...
environment() {
  local name="$1" variable="$2" printed
  shift 2
  printed="$(mktemp)"
  stage "$name" bash -c 'exec "${@:2}" >"$1"' _ "$printed" "$@"
  export "$variable=$(cat "$printed")"
  rm -f "$printed"
}
environment python BATON_TEST_PYTHON scripts/python-env.sh
environment python-0.3 BATON_TEST_OLD_PYTHON scripts/python-env.sh tests/python/requirements-0.3.txt
environment python-mcp BATON_TEST_MCP_PYTHON scripts/python-env.sh tests/python/requirements-mcp.txt
environment python-two-agents BATON_TEST_TWO_AGENTS_PYTHON scripts/python-env.sh tests/python/two_agents/requirements.txt
environment python-otel BATON_TEST_OTEL_PYTHON scripts/python-env.sh tests/python/requirements-otel.txt
environment python-duckdb BATON_TEST_DUCKDB_PYTHON scripts/python-env.sh tests/python/requirements-duckdb.txt
environment python-openai BATON_TEST_OPENAI_PYTHON scripts/python-env.sh tests/python/requirements-openai.txt
environment python-clients BATON_TEST_CLIENTS_PYTHON scripts/python-env.sh tests/clients/requirements.txt
environment python-clients-0.3 BATON_TEST_OLD_CLIENTS_PYTHON scripts/python-env.sh tests/clients/requirements-0.3.txt
environment node BATON_TEST_NODE scripts/node-env.sh
environment node-mcp BATON_TEST_MCP_NODE scripts/node-env.sh tests/mcp
environment node-openai BATON_TEST_OPENAI_NODE scripts/node-env.sh tests/openai
environment node-otel BATON_TEST_OTEL_NODE scripts/node-env.sh tests/otel
environment node-clients BATON_TEST_CLIENTS_NODE scripts/node-env.sh tests/clients
environment node-grafana BATON_TEST_GRAFANA_NODE scripts/node-env.sh tests/grafana
environment node-browser BATON_TEST_BROWSER_NODE scripts/browser-env.sh

# Snapshots must be committed with the change; tests do not write them here.
export INSTA_UPDATE=no

stage fmt cargo fmt --all --check
stage clippy cargo clippy --workspace --all-targets --locked -- -D warnings
if cargo nextest --version >/dev/null 2>&1; then
  stage build-tests cargo nextest run --workspace --locked --no-run
  stage layers-and-sizes cargo nextest run --workspace --locked -E 'package(baton-house)'
  stage tests cargo nextest run --workspace --locked -E 'not package(baton-house)'
else
  stage build-tests cargo test --workspace --locked --no-run
  stage tests cargo test --workspace --locked --lib --bins --tests --examples
fi
if grep -rqE '^[[:space:]]*//[/!][[:space:]]*```' crates tools --include='*.rs'; then
  stage doc-tests cargo test --workspace --locked --doc
fi
stage docs env RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked
failed=""
