#!/usr/bin/env bash
# Unpacks Debian packages with their dependencies into a separate folder, without installing them, and prints its path.
# Usage: scripts/backends/debian.sh NAME SUITE PACKAGE...
# apt resolves, downloads and verifies the packages with separate lists and a separate state, so that packages of a newer
# suite never mix with installed ones. The folder is in the cache directory.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
[ $# -ge 3 ] || die "usage: debian.sh NAME SUITE PACKAGE..."
name="$1" suite="$2"
shift 2
command -v apt-get >/dev/null 2>&1 || die "$name needs Debian packages, but apt-get is missing"

home="$(cache_dir)/debian-$name"
[ ! -f "$home/.complete" ] || { printf '%s\n' "$home/root"; exit 0; }
mkdir -p "$(cache_dir)"
exec 9>"$home.lock"
command -v flock >/dev/null 2>&1 && flock 9
[ ! -f "$home/.complete" ] || { printf '%s\n' "$home/root"; exit 0; }
rm -rf "$home"
mkdir -p "$home"/{lists/partial,archives/partial,root,parts}
touch "$home/status"

# The Debian mirror configured on this system.
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
    awk '$2 !~ /-/ { print $1; exit }'
}
site="$(mirror)"
if [ -z "$site" ]; then
  [ "$(id -u)" = 0 ] || die "apt has no package lists: run 'apt-get update' as root"
  apt-get update -q >&2
  site="$(mirror)"
fi
[ -n "$site" ] || die "no Debian mirror is configured"
# The system's debian.sources file may set signed-by, so the key is also set explicitly here.
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[ -f "$keys" ] || die "Debian's keys are missing: install debian-archive-keyring"
printf 'deb [signed-by=%s] %s %s main\n' "$keys" "$site" "$suite" >"$home/sources.list"
cat >"$home/apt.conf" <<CONF
Dir::Etc::sourcelist "$home/sources.list";
Dir::Etc::sourceparts "$home/parts";
Dir::Etc::preferencesparts "$home/parts";
Dir::State::lists "$home/lists";
Dir::State::status "$home/status";
Dir::State::extended_states "$home/extended_states";
Dir::Cache "$home";
Dir::Cache::archives "$home/archives";
APT::Install-Recommends "false";
APT::Sandbox::User "$(id -un)";
Acquire::Languages "none";
Debug::NoLocking "true";
CONF
export APT_CONFIG="$home/apt.conf" DEBIAN_FRONTEND=noninteractive
say "reading the package lists of Debian $suite"
apt-get update -q >"$home/log" 2>&1 || { cat "$home/log" >&2; die "the packages of $suite cannot be listed"; }

# Dependencies are resolved as if nothing were installed. BATON_DEBIAN_ONLY selects packages by name, for example Go's
# sources only; packages provided by the system (a C library, a shell) are then not downloaded.
apt-get install -y -q --print-uris "$@" >"$home/plan" 2>>"$home/log" || { cat "$home/log" >&2; die "$* cannot be installed from $suite"; }
mapfile -t wanted < <(awk '/\.deb / { print $2 }' "$home/plan" | sed 's/_.*//' | grep -E "${BATON_DEBIAN_ONLY:-.}")
[ "${#wanted[@]}" -gt 0 ] || die "$suite has no matching packages for $*"
say "downloading ${#wanted[@]} packages of $suite"
(cd "$home/archives" && apt-get download -q "${wanted[@]}" >>"$home/log" 2>&1) || { tail -n 20 "$home/log" >&2; die "the packages cannot be downloaded"; }
for package in "$home"/archives/*.deb; do
  dpkg-deb --extract "$package" "$home/root"
done
rm -rf "$home/archives" "$home/lists" "$home"/*.bin
touch "$home/.complete"
printf '%s\n' "$home/root"
