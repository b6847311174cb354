#!/usr/bin/env bash
# Unpacks Debian packages and all that they need beside the system, without installing anything, and prints the folder.
# Usage: scripts/backends/debian.sh NAME SUITE PACKAGE...
# apt does the choosing, the downloading and the checking of signatures, with lists and a state of its own: the packages
# of a newer suite never meet those that are installed. The folder lives in the cache directory.
set -euo pipefail
. "$(dirname "$0")/../lib.sh"
[ $# -ge 3 ] || die "usage: debian.sh NAME SUITE PACKAGE..."
name="$1" suite="$2"
shift 2
command -v apt-get >/dev/null 2>&1 || die "$name comes from Debian packages, and this is no Debian: apt-get is missing"

home="$(cache_dir)/debian-$name"
[ ! -f "$home/.complete" ] || { printf '%s\n' "$home/root"; exit 0; }
mkdir -p "$(cache_dir)"
exec 9>"$home.lock"
command -v flock >/dev/null 2>&1 && flock 9
[ ! -f "$home/.complete" ] || { printf '%s\n' "$home/root"; exit 0; }
rm -rf "$home"
mkdir -p "$home"/{lists/partial,archives/partial,root,parts}
touch "$home/status"

# The mirror that this system already uses.
mirror() {
  apt-get indextargets --format '$(REPO_URI) $(RELEASE)' 'Created-By: Packages' 'Origin: Debian' 2>/dev/null |
    awk '$2 !~ /-/ { print $1; exit }'
}
site="$(mirror)"
if [ -z "$site" ]; then
  [ "$(id -u)" = 0 ] || die "apt knows no packages yet: run 'apt-get update' as root"
  apt-get update -q >&2
  site="$(mirror)"
fi
[ -n "$site" ] || die "no mirror of Debian is configured"
# A debian.sources file names its keys itself, so ours must, too.
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
say "reading Debian's $suite"
apt-get update -q >"$home/log" 2>&1 || { cat "$home/log" >&2; die "the packages of $suite cannot be listed"; }

# What the packages need is chosen as if nothing were installed. Of that only Go's sources are of use here: what is
# already on the system (a C library, a shell) is left where it is.
apt-get install -y -q --print-uris "$@" >"$home/plan" 2>>"$home/log" || { cat "$home/log" >&2; die "$* cannot be had from $suite"; }
mapfile -t wanted < <(awk '/\.deb / { print $2 }' "$home/plan" | sed 's/_.*//' | grep -E "${BATON_DEBIAN_ONLY:-.}")
[ "${#wanted[@]}" -gt 0 ] || die "$suite has nothing of $*"
say "downloading ${#wanted[@]} packages of $suite"
(cd "$home/archives" && apt-get download -q "${wanted[@]}" >>"$home/log" 2>&1) || { tail -n 20 "$home/log" >&2; die "the packages cannot be downloaded"; }
for package in "$home"/archives/*.deb; do
  dpkg-deb --extract "$package" "$home/root"
done
rm -rf "$home/archives" "$home/lists" "$home"/*.bin
touch "$home/.complete"
printf '%s\n' "$home/root"
