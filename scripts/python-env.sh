#!/usr/bin/env bash
# Prints the path of a Python with the packages of a requirements file; creates its environment if needed.
# Usage: scripts/python-env.sh [REQUIREMENTS]   (default: tests/python/requirements.txt)
# The environment is in the cache directory under a hash of its requirements, so clones share it and a changed version
# gets a new one.
set -euo pipefail
requirements="${1:-$(dirname "$0")/../tests/python/requirements.txt}"
. "$(dirname "$0")/lib.sh"

[ -f "$requirements" ] || die "$requirements does not exist"

find_python() {
  local candidate
  for candidate in python3 python3.13 python3.12 python3.11 python3.10; do
    if command -v "$candidate" >/dev/null 2>&1 &&
      "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 10))' >/dev/null 2>&1; then
      command -v "$candidate"
      return 0
    fi
  done
  return 1
}

python="$(find_python)" || {
  apt_install python3 python3-venv || die "Python 3.10 or newer is missing"
  python="$(find_python)" || die "Python 3.10 or newer is missing"
}
if ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
  apt_install python3-venv || die "Python's venv module is missing: install python3-venv"
fi

version="$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')"
hash="$({ echo "$version"; cat "$requirements"; } | "$python" -c 'import hashlib, sys; print(hashlib.sha256(sys.stdin.buffer.read()).hexdigest()[:16])')"
venv="$(cache_dir)/venv-$hash"

# The marker file is written last, so that an interrupted set-up is not mistaken for a complete one; the lock serializes
# concurrent set-ups.
if [ ! -f "$venv/.complete" ]; then
  say "creating a Python $version environment for $(basename "$(dirname "$requirements")")/$(basename "$requirements")"
  mkdir -p "$(cache_dir)"
  exec 9>"$venv.lock"
  command -v flock >/dev/null 2>&1 && flock 9
  if [ ! -f "$venv/.complete" ]; then
    rm -rf "$venv"
    "$python" -m venv "$venv" >&2
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --no-input -r "$requirements" >&2
    touch "$venv/.complete"
  fi
fi
printf '%s\n' "$venv/bin/python"
