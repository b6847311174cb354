#!/usr/bin/env bash
# Coverage-guided fuzzing of all parsers of external input; run by `make fuzz`.
# Usage: scripts/fuzz.sh [SECONDS] [TARGET...]   (default: 60 seconds in total, every target)
# Stable Rust is sufficient: the instrumentation is a compiler pass, and libFuzzer is compiled from source.
# Results are in fuzz/target: corpus/ lets the next run continue from this one, artifacts/ contains the inputs that
# failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

total="${1:-60}"
shift || true
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=(requests old_requests contextcore protobuf answers definitions traceql otlp growth)
case "$total" in '' | *[!0-9]*) die "the first argument must be a number of seconds" ;; esac

command -v c++ >/dev/null 2>&1 || apt_install g++ || die "a C++ compiler is missing: install g++ or clang"
home="$PWD/fuzz/target"
host="$(rustc -vV | sed -n 's/^host: //p')"
# With an explicit --target, build scripts and procedural macros are not instrumented.
flags="--cfg fuzzing -Cpasses=sancov-module"
for flag in level=4 inline-8bit-counters pc-table trace-compares; do
  flags="$flags -Cllvm-args=-sanitizer-coverage-$flag"
done
say "building the targets"
RUSTFLAGS="$flags" CARGO_TARGET_DIR="$home" \
  cargo build --release --locked --manifest-path fuzz/Cargo.toml --target "$host" >&2

# Fuzzer dictionary: names and keywords of the protocols, from the generator's grammar.
mkdir -p "$home/seeds" "$home/logs"
dictionary="$home/dictionary.txt"
grep -v '^#' fuzz/grammar.txt | tr ' ():|=[]{}' '\n' | grep -E '^[A-Za-z@][A-Za-z0-9_./@+-]+$' | sort -u |
  sed 's/.*/"\\"&\\""/' >"$dictionary"

# Seeds from snapshots: every JSON line, and each snapshot as a whole.
texts="$home/seeds/texts"
if [ ! -d "$texts" ]; then
  mkdir -p "$texts.new"
  find crates/baton-wire/tests crates/baton-proto/tests -name '*.snap' | sort | while read -r file; do
    name="$(basename "$file" .snap)"
    sed '1,/^---$/d' "$file" >"$texts.new/$name"
    awk -v to="$texts.new/$name" 'match($0, /[{[].*[]}]/) && RLENGTH > 8 {
      one = to "-" NR; print substr($0, RSTART, RLENGTH) >one; close(one) }' "$texts.new/$name"
  done
  mv "$texts.new" "$texts"
fi

# The first byte of an input selects the type to parse: seed TARGET CHOICES
seed() {
  local folder="$home/seeds/$1" choice prefix file
  [ ! -d "$folder" ] || return 0
  mkdir -p "$folder.new"
  for ((choice = 0; choice < $2; choice++)); do
    prefix="$(printf '\\x%02x' "$choice")"
    for file in "$texts"/*; do
      { printf "$prefix" && cat "$file"; } >"$folder.new/${file##*/}-$choice"
    done
  done
  mv "$folder.new" "$folder"
}
# Bytes of the official SDKs, parsed as each of several messages.
seed_bytes() {
  local folder="$home/seeds/protobuf" choice hex number=0
  [ ! -d "$folder" ] || return 0
  mkdir -p "$folder.new"
  tr -d '\n \\' <crates/baton-proto/tests/suite/golden.rs | grep -oE '"[0-9a-f]{20,}"' | tr -d '"' | while read -r hex; do
    number=$((number + 1))
    for choice in 0 2 11 12 16 21 25 27 39 40; do
      printf "$(printf '%02x%s' "$choice" "$hex" | sed 's/../\\x&/g')" >"$folder.new/$number-$choice"
    done
  done
  mv "$folder.new" "$folder"
}
# Queries of the test tables, valid or not, one per file.
seed_queries() {
  local folder="$home/seeds/traceql"
  [ ! -d "$folder" ] || return 0
  mkdir -p "$folder.new"
  cat crates/baton-traceql/tests/suite/queries/*.txt | awk -v to="$folder.new" 'NF { one = to "/" NR; print >one; close(one) }'
  mv "$folder.new" "$folder"
}
# One OTLP export request per encoding.
seed_exports() {
  local folder="$home/seeds/otlp" trace span='\x12\x08\x02\x02\x02\x02\x02\x02\x02\x02'
  [ ! -d "$folder" ] || return 0
  mkdir -p "$folder.new"
  trace="\\x0a\\x10$(printf '\\x01%.0s' {1..16})"
  printf "\\x00\\x0a\\x25\\x12\\x23\\x12\\x21$trace$span\\x2a\\x01a\\x30\\x02" >"$folder.new/protobuf"
  printf '\x01%s' '{"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"a"}}]},
    "scopeSpans":[{"scope":{"name":"s","version":"1"},"spans":[{"traceId":"5b8efff798038103d269b633813fc60c",
    "spanId":"eee19b7ec3c1b174","parentSpanId":"eee19b7ec3c1b173","name":"n","kind":"SPAN_KIND_SERVER","flags":257,
    "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":1544712661000000000,"traceState":"a=b",
    "attributes":[{"key":"i","value":{"intValue":"5"}},{"key":"d","value":{"doubleValue":"NaN"}},{"key":"b","value":
    {"boolValue":true}},{"key":"y","value":{"bytesValue":"AQI="}},{"key":"l","value":{"arrayValue":{"values":[{}]}}},
    {"key":"m","value":{"kvlistValue":{"values":[{"key":"k","value":{"stringValue":"v"}}]}}}],"droppedLinksCount":1,
    "events":[{"timeUnixNano":"1","name":"e","attributes":[]}],"links":[{"traceId":"5b8efff798038103d269b633813fc60c",
    "spanId":"eee19b7ec3c1b174"}],"status":{"code":2,"message":"m"}}]}]}]}' >"$folder.new/json"
  mv "$folder.new" "$folder"
}
choices() {
  sed -n '/const SHAPES/,/;/p' "fuzz/src/$1.rs" | grep -oE '"[a-z]+"' | wc -l
}

share=$((total / ${#targets[@]}))
[ "$share" -gt 0 ] || share=1
failed=()
for target in "${targets[@]}"; do
  case "$target" in
    protobuf) seed_bytes ;;
    traceql) seed_queries ;;
    otlp) seed_exports ;;
    definitions | growth) mkdir -p "$home/seeds/$target" ;;
    requests | old_requests | contextcore | answers) seed "$target" "$(choices "$target")" ;;
    *) die "unknown target '$target'" ;;
  esac
  # The growth target reads an input several times, so it needs a longer timeout.
  limit=5
  [ "$target" != growth ] || limit=30
  mkdir -p "$home/corpus/$target" "$home/artifacts/$target"
  log="$home/logs/$target.log"
  program="$home/$host/release/$target"
  status=0
  RUST_BACKTRACE=0 "$program" "$home/corpus/$target" "$home/seeds/$target" -max_total_time="$share" -max_len=65536 -timeout="$limit" \
    -rss_limit_mb=2048 -dict="$dictionary" -artifact_prefix="$home/artifacts/$target/" -print_final_stats=1 -reload=0 \
    >"$log" 2>&1 || status=$?
  executions="$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)"
  reached="$(grep -oE 'cov: [0-9]+ ft: [0-9]+ corp: [0-9]+' "$log" | tail -n 1)"
  say "$(printf '%-13s %5d s %10s executions  %s%s' "$target" "$share" "${executions:-?}" "$reached" \
    "$([ "$status" = 0 ] || echo '  FAILED')")"
  if [ "$status" != 0 ]; then
    failed+=("$target")
    grep -vE '^#[0-9]+|^stat::|^INFO:|^MS: |^NOTE:|^WARNING: |^Dictionary: |NEW_FUNC|^ +Combine |^artifact_prefix|^SUMMARY:' "$log" | cut -c 1-2000 |
      tail -n 20 >&2
    say "reproduce: $program $(sed -n 's/.*Test unit written to //p' "$log" | tail -n 1)"
    say "minimize: add -minimize_crash=1 -max_total_time=60"
  fi
done
[ "${#failed[@]}" = 0 ] || die "failed: ${failed[*]}"
