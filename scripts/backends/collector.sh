#!/usr/bin/env bash
# Prints the path of an OpenTelemetry Collector; builds it if needed. There is no package of the binary, but Debian
# packages its sources with their dependencies, and PyPI has Go.
# The binary is in the cache directory under a hash of its inputs; the sources are deleted after the build.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../lib.sh"
suite="${BATON_COLLECTOR_SUITE:-sid}"

hash="$({ echo "$suite"; cat "$here/collector/main.go" "$here/requirements-go.txt"; } | sha256sum | cut -c 1-16)"
home="$(cache_dir)/collector-$hash"
if [ ! -x "$home/collector" ]; then
  mkdir -p "$home"
  exec 8>"$home.lock"
  command -v flock >/dev/null 2>&1 && flock 8
  if [ ! -x "$home/collector" ]; then
    python="$("$here/../python-env.sh" "$here/requirements-go.txt")"
    # Only Go's source packages: other dependencies are already installed or not needed for the build.
    sources="$(BATON_DEBIAN_ONLY='^golang-' "$here/debian.sh" collector "$suite" golang-opentelemetry-collector-dev)"
    say "building the collector (a minute or two)"
    work="$home/work"
    rm -rf "$work"
    mkdir -p "$work/cache" "$work/temporary"
    env GO111MODULE=off GOFLAGS=-buildvcs=false GOPATH="$sources/usr/share/gocode" GOCACHE="$work/cache" CGO_ENABLED=0 \
      GOTOOLCHAIN=local GOTMPDIR="$work/temporary" \
      "$(dirname "$python")/go" build -trimpath -ldflags '-s -w' -o "$work/collector" "$here/collector/main.go" >&2
    mv "$work/collector" "$home/collector"
    rm -rf "$work" "$(dirname "$sources")"
  fi
fi
printf '%s\n' "$home/collector"
