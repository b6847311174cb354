#!/usr/bin/env bash
# Builds Baton and its peers with the release profile and benchmarks them; run by `make bench`.
# Arguments are passed to measure.py: bench/run.sh --quick, bench/run.sh --only bindings; --help lists all.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

servers="baton,rust,python"
only="everything"
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

build() {
  CARGO_TARGET_DIR=bench/target cargo build --release --locked --manifest-path bench/Cargo.toml "$@" \
    ${BENCH_JOBS:+-j "$BENCH_JOBS"} >&2
}

# Counting instructions needs neither servers nor Python packages.
if [ "$only" = instructions ]; then
  say "building the instruction benchmark"
  build -p instructions
  exec python3 bench/measure.py "$@"
fi

# Two builds of Baton need no peers.
if [ "$only" = builds ]; then
  say "building the load generator, the environment and Baton"
  build -p load -p mcp-servers
  cargo build --release --locked -p baton ${BENCH_JOBS:+-j "$BENCH_JOBS"} >&2
  exec python3 bench/measure.py --baton "${CARGO_TARGET_DIR:-target}/release/baton" "$@"
fi

# The MCP benchmark compares programs of this workspace with FastMCP.
if [ "$only" = mcp ]; then
  say "building the load generator and the MCP servers"
  build -p load -p mcp-servers
  fastmcp="$(scripts/python-env.sh bench/peer-fastmcp/requirements.txt)"
  exec "$fastmcp" bench/measure.py --fastmcp-python "$fastmcp" "$@"
fi

build_baton() {
  say "building Baton"
  cargo build --release --locked -p baton ${BENCH_JOBS:+-j "$BENCH_JOBS"} >&2
}
baton="${CARGO_TARGET_DIR:-target}/release/baton"

litellm_python() {
  scripts/python-env.sh bench/peer-litellm/requirements.txt
}

# The Responses benchmark compares Baton with third-party servers.
if [ "$only" = responses ]; then
  say "building the load generator"
  build -p load
  build_baton
  litellm="$(litellm_python)"
  node="$(scripts/node-env.sh bench/peer-aimock)"
  exec "$litellm" bench/measure.py --baton "$baton" --litellm-python "$litellm" --node "$node" "$@"
fi

say "building the load generator and the Rust peers"
build
case ",$servers," in
  *,baton,*) build_baton ;;
esac
python="$(scripts/python-env.sh bench/peer-python/requirements.txt)"
case ",$only," in
  *,everything,* | *,mcp,*) fastmcp="$(scripts/python-env.sh bench/peer-fastmcp/requirements.txt)" ;;
  *) fastmcp="$python" ;;
esac

case ",$only," in
  *,everything,* | *,spans,*) duckdb="$(scripts/python-env.sh bench/peer-duckdb/requirements.txt)" ;;
  *) duckdb="$python" ;;
esac

case ",$only," in
  *,everything,* | *,responses,*)
    litellm="$(litellm_python)"
    node="$(scripts/node-env.sh bench/peer-aimock)"
    ;;
  *)
    litellm="$python"
    node=node
    ;;
esac

exec "$python" bench/measure.py --duckdb-python "$duckdb" --baton "$baton" --fastmcp-python "$fastmcp" \
  --litellm-python "$litellm" --node "$node" "$@"
