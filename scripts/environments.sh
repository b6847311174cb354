#!/usr/bin/env bash
# Sets up the environments of the tests that run third-party programs, three at a time.
# Usage: scripts/environments.sh RESULTS [NAME]   (without NAME: all)
#        scripts/environments.sh --list            (names and variables)
# Writes to the directory RESULTS for each: NAME.path (the interpreter), NAME.log, NAME.seconds, and NAME.failed on failure.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

# Name, variable with the interpreter, command; the slowest first.
environments() {
  cat <<'TABLE'
node-grafana       BATON_TEST_GRAFANA_NODE        scripts/node-env.sh tests/grafana
python-clients     BATON_TEST_CLIENTS_PYTHON      scripts/python-env.sh tests/clients/requirements.txt
node-clients       BATON_TEST_CLIENTS_NODE        scripts/node-env.sh tests/clients
node-browser       BATON_TEST_BROWSER_NODE        scripts/browser-env.sh
node-mcp           BATON_TEST_MCP_NODE            scripts/node-env.sh tests/mcp
python-clients-0.3 BATON_TEST_OLD_CLIENTS_PYTHON  scripts/python-env.sh tests/clients/requirements-0.3.txt
python             BATON_TEST_PYTHON              scripts/python-env.sh
python-0.3         BATON_TEST_OLD_PYTHON          scripts/python-env.sh tests/python/requirements-0.3.txt
python-mcp         BATON_TEST_MCP_PYTHON          scripts/python-env.sh tests/python/requirements-mcp.txt
python-two-agents  BATON_TEST_TWO_AGENTS_PYTHON   scripts/python-env.sh tests/python/two_agents/requirements.txt
python-otel        BATON_TEST_OTEL_PYTHON         scripts/python-env.sh tests/python/requirements-otel.txt
python-duckdb      BATON_TEST_DUCKDB_PYTHON       scripts/python-env.sh tests/python/requirements-duckdb.txt
python-openai      BATON_TEST_OPENAI_PYTHON       scripts/python-env.sh tests/python/requirements-openai.txt
node               BATON_TEST_NODE                scripts/node-env.sh
node-openai        BATON_TEST_OPENAI_NODE         scripts/node-env.sh tests/openai
node-otel          BATON_TEST_OTEL_NODE           scripts/node-env.sh tests/otel
TABLE
}

if [ "$1" = --list ]; then
  environments | awk '{ print $1, $2 }'
  exit
fi

results="$1"

if [ $# -lt 2 ]; then
  # The programs of the environments are niced: the compiler needs the processor, they mostly wait for the network.
  environments | awk '{ print $1 }' | nice -n 10 xargs -P 3 -n 1 "$0" "$results"
  exit
fi

name="$2"
command="$(environments | awk -v name="$name" '$1 == name { print $3, $4 }')"
[ -n "$command" ] || die "there is no environment '$name'"
SECONDS=0
if $command >"$results/$name.path" 2>"$results/$name.log"; then
  printf '%s\n' "$SECONDS" >"$results/$name.seconds"
else
  touch "$results/$name.failed"
  # xargs starts no further one.
  exit 255
fi
