#!/usr/bin/env bash
# All tests and checks in stages, with the time of each; run by `make test` and CI.
# A stage gets the rest of the time budget (BATON_TEST_BUDGET seconds, 3600 by default) and is stopped when it is used up.
# The environments of the tests with third-party programs are set up during compilation.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
choose_target_dir
lint_builds

budget="${BATON_TEST_BUDGET:-3600}"
SECONDS=0
report=()
failed=set-up
environments=""
results="$(mktemp -d)"

finish() {
  local status=$? line name
  if [ -n "$environments" ]; then
    # The whole process group: downloads end with it.
    kill -- -"$environments" 2>/dev/null || true
    wait "$environments" 2>/dev/null || true
  fi
  say ""
  say "stage                seconds"
  for line in ${report[@]+"${report[@]}"}; do say "$line"; done
  for line in "$results"/*.seconds; do
    [ -f "$line" ] || continue
    name="${line##*/}"
    say "$(printf '  %-18s %7d   while compiling' "${name%.seconds}" "$(cat "$line")")"
  done
  rm -rf "$results"
  say "$(printf '%-20s %7d   of %d' total "$SECONDS" "$budget")"
  if [ "$status" = 0 ] && [ -z "$failed" ]; then
    say "all stages passed"
  else
    say "FAILED in stage: $failed"
  fi
}
trap finish EXIT

# stage NAME COMMAND...
stage() {
  local name="$1" begun="$SECONDS" status=0
  shift
  check_environments
  failed="$name"
  [ "$SECONDS" -lt "$budget" ] || die "the budget of $budget seconds is used up before stage '$name'"
  say ""
  say "== $name: $*"
  if command -v timeout >/dev/null 2>&1; then
    # At a terminal, Ctrl-C must reach the stage; otherwise the timeout must also end the stage's child processes.
    timeout $([ -t 0 ] && echo --foreground) --kill-after=20 $((budget - SECONDS)) "$@" || status=$?
  else
    "$@" || status=$?
  fi
  record "$name" "$begun" "$status"
  if [ "$status" = 124 ] || [ "$SECONDS" -gt "$budget" ]; then
    die "stage '$name' exceeded the budget of $budget seconds"
  fi
  [ "$status" = 0 ] || exit "$status"
}

# record NAME BEGUN STATUS
record() {
  report+=("$(printf '%-20s %7d%s' "$1" $((SECONDS - $2)) "$([ "$3" = 0 ] || echo '   FAILED')")")
}

# Starts the set-up in the background, as a process group of its own.
start_environments() {
  local limit=()
  if command -v timeout >/dev/null 2>&1; then
    limit=(timeout --foreground --kill-after=20 "$budget")
  fi
  set -m
  ${limit[@]+"${limit[@]}"} scripts/environments.sh "$results" </dev/null &
  environments=$!
  set +m
}

# Ends the run with the log of an environment that could not be set up.
check_environments() {
  local log
  for log in "$results"/*.failed; do
    [ -f "$log" ] || continue
    log="${log%.failed}"
    failed="environment ${log##*/}"
    tail -n 60 "$log.log" >&2
    die "the environment ${log##*/} could not be set up"
  done
}

# Waits for the environments and exports the variables with their interpreters.
join_environments() {
  local begun="$SECONDS" status=0 name variable
  failed=environments
  say ""
  say "== environments: waiting for their set-up"
  wait "$environments" || status=$?
  record environments "$begun" "$status"
  check_environments
  [ "$status" = 0 ] || die "the environments could not be set up in $budget seconds"
  environments=""
  while read -r name variable; do
    export "$variable=$(cat "$results/$name.path")"
  done < <(scripts/environments.sh --list)
}

# Snapshots must be committed with the change; tests do not write them here.
export INSTA_UPDATE=no

stage tools scripts/tools.sh
start_environments
stage fmt cargo fmt --all --check
if cargo nextest --version >/dev/null 2>&1; then
  stage house cargo nextest run --locked -p baton-house
  stage build cargo nextest run --workspace --locked --no-run
  join_environments
  stage tests cargo nextest run --workspace --locked -E 'not package(baton-house)'
else
  stage house cargo test --quiet --locked -p baton-house
  stage build cargo test --workspace --locked --no-run
  join_environments
  stage tests cargo test --workspace --locked --lib --bins --tests --examples
fi
stage guard scripts/guard.sh
failed=""
