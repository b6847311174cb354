#!/usr/bin/env bash
# Prints the folder of PostgreSQL's programs; installs them if needed.
set -euo pipefail
cd "$(dirname "$0")/../.."
. scripts/lib.sh

find_programs() {
  local programs
  for programs in $(printf '%s\n' /usr/lib/postgresql/*/bin | sort -rV); do
    if [ -x "$programs/initdb" ] && [ -x "$programs/pgbench" ]; then
      printf '%s\n' "$programs"
      return 0
    fi
  done
  return 1
}

find_programs || {
  # Without this setting, the package creates and starts a cluster of its own.
  apt_install postgresql-common || die "PostgreSQL is missing: install postgresql"
  sed -i 's/^#*create_main_cluster.*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf
  apt_install postgresql postgresql-contrib || die "PostgreSQL is missing: install postgresql"
  find_programs || die "the installed PostgreSQL has no initdb or pgbench"
}
