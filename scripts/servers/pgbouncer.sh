#!/usr/bin/env bash
# A private PgBouncer for tests, on Debian or Ubuntu as root: transaction pooling in front of a PostgreSQL on 127.0.0.1.
#
#   scripts/servers/pgbouncer.sh DIR PORT SERVERPORT   installs what is missing, starts it, and prints its URL on the last line
#   scripts/servers/pgbouncer.sh stop DIR              stops it
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

running() { [ -s "$1/pid" ] && kill -0 "$(cat "$1/pid")" 2>/dev/null; }

if [ "${1:-}" = stop ]; then
  dir=$(realpath "${2:?the directory of the pooler}")
  if running "$dir"; then
    pid=$(cat "$dir/pid")
    kill "$pid"
    for _ in $(seq 50); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
  fi
  exit 0
fi

mkdir -p "${1:?a directory}"
dir=$(realpath "$1")
port=${2:?a port}
server=${3:?the port of the server}

if ! command -v pgbouncer >/dev/null; then
  apt-get update -qq
  # Installing a package must not start its service.
  policy=/usr/sbin/policy-rc.d
  made=
  [ -e $policy ] || { printf '#!/bin/sh\nexit 101\n' >$policy; chmod 755 $policy; made=1; }
  apt-get install -y -qq --no-install-recommends pgbouncer >/dev/null
  [ -z "$made" ] || rm -f $policy
fi

chmod 755 "$dir"
cat >"$dir/pgbouncer.ini" <<INI
[databases]
* = host=127.0.0.1 port=$server
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = $port
unix_socket_dir =
auth_type = trust
auth_file = $dir/users
pool_mode = transaction
default_pool_size = 10
max_client_conn = 200
server_reset_query =
pidfile = $dir/pid
logfile = $dir/log
INI
# Those who may log in; the server trusts them, too.
printf '"%s" ""\n' lukasa lukasa_app >"$dir/users"
id pgbouncer >/dev/null 2>&1 || useradd --system --no-create-home --shell /usr/sbin/nologin pgbouncer
chown -R pgbouncer "$dir"
if ! running "$dir"; then
  setpriv --reuid=pgbouncer --regid="$(id -g pgbouncer)" --init-groups pgbouncer -q -d "$dir/pgbouncer.ini" >&2
fi
for _ in $(seq 50); do
  (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break
  sleep 0.1
done
running "$dir"
echo "postgres://lukasa@127.0.0.1:$port/postgres?sslmode=disable"
