#!/usr/bin/env bash
# A private PostgreSQL with pgvector for tests, on Debian or Ubuntu as root. It listens on 127.0.0.1 and trusts whoever connects.
#
#   scripts/servers/postgres.sh DIR PORT     installs what is missing, starts the server, and prints its URL on the last line
#   scripts/servers/postgres.sh stop DIR     stops it
#
# It does not wait for the disk (fsync=off), unless FSYNC=on says so.
#
# Where the distribution has no package of pgvector (Debian 12), it is built from the signed source package of Debian 13.
set -euo pipefail
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

as() { setpriv --reuid=postgres --regid=postgres --init-groups env HOME=/ "$@"; }

if [ "${1:-}" = stop ]; then
  dir=$(realpath "${2:?the directory of the server}")
  bin=$(cat "$dir/bin")
  cd /
  if as "$bin/pg_ctl" -s -D "$dir/data" status >/dev/null; then as "$bin/pg_ctl" -s -w -m fast -D "$dir/data" stop; fi
  exit 0
fi

mkdir -p "${1:?a directory}"
dir=$(realpath "$1")
port=${2:?a port}

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'ok installed'; }
updated=
need() {
  local missing=() p
  for p in "$@"; do installed "$p" || missing+=("$p"); done
  ((${#missing[@]})) || return 0
  [ -n "$updated" ] || apt-get update -qq
  updated=1
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}

# No cluster of the package's own.
mkdir -p /etc/postgresql-common
[ -e /etc/postgresql-common/createcluster.conf ] || echo 'create_main_cluster = false' >/etc/postgresql-common/createcluster.conf
need postgresql
version=$(find /usr/lib/postgresql -mindepth 1 -maxdepth 1 -printf '%f\n' | sort -n | tail -1)
bin=/usr/lib/postgresql/$version/bin

if [ ! -e "/usr/share/postgresql/$version/extension/vector.control" ]; then
  if apt-cache show "postgresql-$version-pgvector" >/dev/null 2>&1; then
    need "postgresql-$version-pgvector"
  else
    need "postgresql-server-dev-$version" build-essential dpkg-dev
    mirror=${DEB_MIRROR:-$(sed -nE 's/^(URIs:|deb) +(http[^ ]*\/debian)\/?( .*)?$/\2/p' /etc/apt/sources.list /etc/apt/sources.list.d/* 2>/dev/null | head -1 || true)}
    apt=$dir/apt
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$dir/src"
    printf 'Types: deb-src\nURIs: %s\nSuites: trixie\nComponents: main\nSigned-By: %s\n' "${mirror:?no mirror of Debian was found: set DEB_MIRROR}" \
      /usr/share/keyrings/debian-archive-trixie-stable.gpg >"$apt/trixie.sources"
    options=(-qq -o Dir::Etc::SourceList="$apt/trixie.sources" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache"
      -o APT::Sandbox::User=root)
    apt-get "${options[@]}" update
    (cd "$dir/src" && apt-get "${options[@]}" source --only-source pgvector >/dev/null)
    (cd "$dir"/src/pgvector-*/ && make -s -j2 OPTFLAGS="" PG_CONFIG="$bin/pg_config" >/dev/null && make -s install PG_CONFIG="$bin/pg_config" >/dev/null)
  fi
fi

echo "$bin" >"$dir/bin"
mkdir -p "$dir/sock"
chmod 755 "$dir"
chown postgres "$dir/sock"
cd /
if [ ! -e "$dir/data/PG_VERSION" ]; then
  install -d -o postgres -m 700 "$dir/data"
  as "$bin/initdb" -D "$dir/data" -U lukasa -A trust --no-sync --locale=C.UTF-8 -E UTF8 >/dev/null
fi
if ! as "$bin/pg_ctl" -s -D "$dir/data" status >/dev/null; then
  as "$bin/pg_ctl" -s -w -D "$dir/data" -l "$dir/data/log" \
    -o "-p $port -k $dir/sock -c listen_addresses=127.0.0.1 -c fsync=${FSYNC:-off} -c max_connections=200" start >&2
fi
psql -qXAt -h "$dir/sock" -p "$port" -U lukasa -d postgres -v ON_ERROR_STOP=1 -c 'SET client_min_messages = warning' \
  -c 'CREATE EXTENSION IF NOT EXISTS vector' >&2
echo "postgres://lukasa@127.0.0.1:$port/postgres?sslmode=disable"
