#!/usr/bin/env bash
# A private PostgreSQL that follows another one for tests, as root. The other was started by postgres.sh, in PRIMARY.
#
#   scripts/servers/replica.sh DIR PORT PRIMARY     copies it, starts the copy as a streaming replica, and prints its URL on the last line
#   scripts/servers/replica.sh stop DIR             stops it
set -euo pipefail
export LC_ALL=C.UTF-8

as() { setpriv --reuid=postgres --regid=postgres --init-groups env HOME=/ "$@"; }

if [ "${1:-}" = stop ] && [ $# -eq 2 ]; then
  dir=$(realpath "$2")
  bin=$(cat "$dir/bin")
  cd /
  if as "$bin/pg_ctl" -s -D "$dir/data" status >/dev/null; then as "$bin/pg_ctl" -s -w -m fast -D "$dir/data" stop; fi
  exit 0
fi
if [ $# -ne 3 ]; then
  echo "usage: scripts/servers/replica.sh DIR PORT PRIMARY | stop DIR" >&2
  exit 2
fi
mkdir -p "$1"
dir=$(realpath "$1")
port=$2
primary=$(realpath "$3")
bin=$(cat "$primary/bin")
from=$(sed -n 4p "$primary/data/postmaster.pid") # the port that the primary listens on

echo "$bin" >"$dir/bin"
mkdir -p "$dir/sock"
chmod 755 "$dir"
chown postgres "$dir/sock"
cd /
if [ ! -e "$dir/data/PG_VERSION" ]; then
  install -d -o postgres -m 700 "$dir/data"
  as "$bin/pg_basebackup" --no-sync -c fast -X stream -R -h "$primary/sock" -p "$from" -U lukasa -D "$dir/data"
fi
if ! as "$bin/pg_ctl" -s -D "$dir/data" status >/dev/null; then
  as "$bin/pg_ctl" -s -w -D "$dir/data" -l "$dir/data/log" \
    -o "-p $port -k $dir/sock -c listen_addresses=127.0.0.1 -c fsync=off -c max_connections=200 -c wal_retrieve_retry_interval=200ms" start >&2
fi
echo "postgres://lukasa@127.0.0.1:$port/postgres?sslmode=disable"
