# Functions shared by the scripts; sourced, not executed.

# Directory for files shared between clones: Python environments, and CI's build directory.
cache_dir() {
  printf '%s/baton' "${XDG_CACHE_HOME:-$HOME/.cache}"
}

# CI uses a fresh clone each time; a build directory outside the clone keeps rebuilds incremental. An existing
# CARGO_TARGET_DIR takes precedence. Outside CI the default ./target is used.
choose_target_dir() {
  if [ -z "${CARGO_TARGET_DIR:-}" ] && [ -n "${CI:-}" ]; then
    CARGO_TARGET_DIR="$(cache_dir)/target"
    export CARGO_TARGET_DIR
    # Every clone adds its own build artifacts; delete them before they fill the disk.
    if [ -d "$CARGO_TARGET_DIR" ] && [ "$(du -sk "$CARGO_TARGET_DIR" | cut -f1)" -gt 15000000 ]; then
      say "the build directory $CARGO_TARGET_DIR is over 15 GB; emptying it"
      rm -rf "$CARGO_TARGET_DIR"
    fi
    mkdir -p "$CARGO_TARGET_DIR"
  fi
}

say() {
  printf '%s\n' "$*" >&2
}

die() {
  say "error: $*"
  exit 1
}

# Installs Debian packages if this is possible without a prompt (root, with apt-get).
apt_install() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    say "installing $*"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >&2 && return 0
    DEBIAN_FRONTEND=noninteractive apt-get update -q >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q "$@" >&2
  else
    return 1
  fi
}
