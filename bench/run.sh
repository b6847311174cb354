#!/usr/bin/env bash
# Builds Baton and its peers with the release profile and benchmarks them; run by `make bench`.
# Arguments are passed to measure.py: bench/run.sh --quick, bench/run.sh --only bindings; --help lists all.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

servers="baton,rust,python"
only="servers,extras,crashes,handoffs,queue,bindings,mcp,responses,spans,growth,instructions"
arguments=("$@")
for ((i = 0; i < ${#arguments[@]}; i++)); do
  case "${arguments[$i]}" in
    --servers) servers="${arguments[$((i + 1))]:-}" ;;
    --servers=*) servers="${arguments[$i]#*=}" ;;
    --only) only="${arguments[$((i + 1))]:-}" ;;
    --only=*) only="${arguments[$i]#*=}" ;;
    --instructions) only="instructions" ;;
    -h | --help) exec python3 bench/measure.py --help ;;
  esac
done

# Whether one of these sections is measured.
measures() {
  local name
  for name in "$@"; do
    case ",$only," in *",$name,"*) return 0 ;; esac
  done
  return 1
}

say "building the load generator and the Rust peers"
packages=(-p load)
if measures servers extras crashes bindings; then packages+=(-p peer-rust); fi
if measures mcp builds; then packages+=(-p mcp-servers); fi
if measures spans; then packages+=(-p spans); fi
if measures instructions; then packages+=(-p instructions); fi
CARGO_TARGET_DIR=bench/target cargo build --release --locked --manifest-path bench/Cargo.toml "${packages[@]}" \
  ${BENCH_JOBS:+-j "$BENCH_JOBS"} >&2

options=()
if measures queue responses growth builds ||
  { measures servers extras crashes handoffs bindings && [[ ",$servers," == *,baton,* ]]; }; then
  say "building Baton"
  cargo build --release --locked -p baton ${BENCH_JOBS:+-j "$BENCH_JOBS"} >&2
  options+=(--baton "${CARGO_TARGET_DIR:-target}/release/baton")
fi
if measures servers extras crashes handoffs bindings && [[ ",$servers," == *,python,* ]]; then
  options+=(--peer-python "$(scripts/python-env.sh bench/peer-python/requirements.txt)")
fi
if measures mcp; then
  options+=(--fastmcp-python "$(scripts/python-env.sh bench/peer-fastmcp/requirements.txt)")
fi
if measures responses; then
  options+=(--litellm-python "$(scripts/python-env.sh bench/peer-litellm/requirements.txt)")
  options+=(--node "$(scripts/node-env.sh bench/peer-aimock)")
fi
if measures spans; then
  options+=(--duckdb-python "$(scripts/python-env.sh bench/peer-duckdb/requirements.txt)")
fi
if measures growth; then
  options+=(--plot-python "$(scripts/python-env.sh bench/plots/requirements.txt)")
fi
if measures queue; then
  options+=(--postgres "$(bench/peer-postgres/programs.sh)")
fi

exec python3 bench/measure.py "${options[@]}" "$@"
