# Functions shared by the scripts; sourced, not executed.

# Directory for files shared between clones: Python environments, and CI's build directory.
cache_dir() {
  printf '%s/baton' "${XDG_CACHE_HOME:-$HOME/.cache}"
}

# CI uses a fresh clone each time; a build directory outside the clone keeps the compiled dependencies. An existing
# CARGO_TARGET_DIR takes precedence. Outside CI the default ./target is used.
choose_target_dir() {
  if [ -n "${CI:-}" ]; then
    # The compiler reuses incremental data only in the same directory, so a fresh clone would write it for nothing.
    export CARGO_INCREMENTAL=0
  fi
  if [ -z "${CARGO_TARGET_DIR:-}" ] && [ -n "${CI:-}" ]; then
    CARGO_TARGET_DIR="$(cache_dir)/target"
    export CARGO_TARGET_DIR
    mkdir -p "$CARGO_TARGET_DIR"
    prune_target_dir 6000000 15000000
  fi
}

# Keeps the build directory small: prune_target_dir KILOBYTES MAX_KILOBYTES
# A fresh clone rebuilds the workspace's crates, so older artifacts of these have no use; those of dependencies do. The
# directory is emptied only if dependencies exceed the maximum, after many updates.
prune_target_dir() {
  [ "$(directory_kilobytes)" -gt "$1" ] || return 0
  say "the build directory $CARGO_TARGET_DIR is over $(($1 / 1000000)) GB; deleting old artifacts of the workspace"
  # Another clone may be running its tests now; a run takes less than two hours.
  find "$CARGO_TARGET_DIR" -mindepth 3 -maxdepth 3 \( -name '*baton*' -o -name 'suite-*' \) -mmin +120 -exec rm -rf {} +
  if [ "$(directory_kilobytes)" -gt "$2" ]; then
    say "it is over $(($2 / 1000000)) GB; emptying it"
    rm -rf "$CARGO_TARGET_DIR"
    mkdir -p "$CARGO_TARGET_DIR"
  fi
}

directory_kilobytes() {
  du -sk "$CARGO_TARGET_DIR" | cut -f1
}

# Every build checks lints and documentation of the workspace's crates while it compiles them.
lint_builds() {
  # Cargo hashes this value, so it must not contain the path of the clone.
  PATH="$PWD/scripts:$PATH"
  RUSTC_WORKSPACE_WRAPPER=checked-rustc.sh
  # The encoding in which cargo passes `-D warnings` to clippy.
  CLIPPY_ARGS="-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"
  export PATH RUSTC_WORKSPACE_WRAPPER CLIPPY_ARGS
}

say() {
  printf '%s\n' "$*" >&2
}

die() {
  say "error: $*"
  exit 1
}

# Installs Debian packages if this is possible without a prompt (root, with apt-get). One process installs at a time.
apt_install() {
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    mkdir -p "$(cache_dir)"
    (
      flock 8
      say "installing $*"
      export DEBIAN_FRONTEND=noninteractive
      apt-get install -y -q "$@" >&2 && exit 0
      apt-get update -q >&2
      # An earlier installation may have been stopped halfway.
      dpkg --configure -a >&2 || true
      apt-get install -y -q --fix-broken >&2
      apt-get install -y -q "$@" >&2
    ) 8>"$(cache_dir)/apt.lock"
  else
    return 1
  fi
}
