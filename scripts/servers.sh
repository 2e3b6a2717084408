#!/usr/bin/env bash
# Prepares what some tests need and cannot bring themselves, and writes where it is to bin/servers/env, which `make test`
# reads. What the environment already names is used as it is:
#
#   LUKASA_TEST_POSTGRES   a connection string of a database that may be filled and emptied
#   LUKASA_TEST_PGBOUNCER  the same by way of PgBouncer, which gives a connection to each transaction
#   LUKASA_TEST_REDIS      URL of a Redis that may be emptied
#   LUKASA_TEST_S3         URL of a bucket, with credentials, that may be emptied
#   LUKASA_TEST_CHROMIUM   a Chromium or Chrome binary
#   LUKASA_TEST_INSPECTOR  the MCP inspector's command line (npm: @modelcontextprotocol/inspector)
#
# A test that lacks one of these skips with the words "needs NAME: ...", and `make test` says so at its end. LUKASA_REQUIRE
# names, separated by commas, those whose lack is a failure (postgres, pgbouncer, redis, s3, chromium, inspector). PostgreSQL, Redis and
# the S3 server are started where their programs are here; where LUKASA_REQUIRE names them they are installed first, which takes
# root on Debian (the S3 server is built with Go). Their data stands in LUKASA_TEST_SERVERS, which is /tmp/lukasa-servers otherwise.
set -euo pipefail
cd "$(dirname "$0")/.."

inspector_version=0.15.0
dir=bin/servers
env_file=$dir/env
home=${LUKASA_TEST_SERVERS:-/tmp/lukasa-servers}

say() { echo "servers: $*" >&2; }

# given NAME VARIABLE: reports a service that the environment names.
given() {
	local value=${!2:-}
	[ -n "$value" ] || return 1
	say "$1: using the one that $2 names"
	printf 'export %s=%q\n' "$2" "$value" >>"$env_file"
}

inspector() {
	given inspector LUKASA_TEST_INSPECTOR && return
	local home=$PWD/$dir/inspector-$inspector_version
	local program=$home/node_modules/.bin/mcp-inspector
	if [ ! -x "$program" ]; then
		if ! command -v npm >/dev/null; then
			say "inspector: there is no npm, so the tests that run the MCP inspector will be SKIPPED"
			return
		fi
		say "inspector: installing @modelcontextprotocol/inspector $inspector_version into $dir"
		mkdir -p "$home"
		if ! npm install --prefix "$home" --no-audit --no-fund --ignore-scripts --loglevel=error \
			"@modelcontextprotocol/inspector@$inspector_version" >"$dir/inspector.log" 2>&1; then
			tail -5 "$dir/inspector.log" >&2
			say "inspector: could not be installed (see $dir/inspector.log), so the tests that run it will be SKIPPED"
			rm -rf "$home"
			return
		fi
	fi
	say "inspector: $inspector_version is in $dir"
	printf 'export LUKASA_TEST_INSPECTOR=%q\n' "$program" >>"$env_file"
}

# browser finds Chromium or Chrome that drives the dashboard, and installs the packages of its tests.
browser() {
	local program
	if ! given chromium LUKASA_TEST_CHROMIUM; then
		if ! wanted chromium chromium chromium-browser google-chrome; then
			say "chromium: it is not here, so the tests of the dashboard will be SKIPPED; LUKASA_REQUIRE=chromium has it installed"
			return
		fi
		if ! program=$(command -v chromium || command -v chromium-browser || command -v google-chrome); then
			say "chromium: installing it"
			apt-get update -qq >"$dir/chromium.log" 2>&1 && apt-get install -y -qq --no-install-recommends chromium >>"$dir/chromium.log" 2>&1 || {
				tail -5 "$dir/chromium.log" >&2
				say "chromium: could not be installed (see $dir/chromium.log), so the tests of the dashboard will be SKIPPED"
				return
			}
		fi
		program=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
		say "chromium: $program"
		printf 'export LUKASA_TEST_CHROMIUM=%q\n' "$program" >>"$env_file"
	fi
	if command -v npm >/dev/null; then
		web/dashboard/install.sh >"$dir/dashboard.log" 2>&1 || say "dashboard: the packages of its tests could not be installed (see $dir/dashboard.log)"
	fi
}

# wanted NAME PROGRAM...: whether a server is to be started: one of its programs is here, or it must run.
wanted() {
	case ",${LUKASA_REQUIRE:-}," in *",$1,"*) return 0 ;; esac
	local program
	for program in "${@:2}"; do
		command -v "$program" >/dev/null && return 0
	done
	return 1
}

# server NAME PORT PROGRAM...: starts a server by its script, whose last line is its URL, on the first port that is free. Where
# it stands before another, behind is the port of that one.
server() {
	local name=$1 port=$2 variable=LUKASA_TEST_${1^^} url
	given "$name" "$variable" && return
	if ! wanted "$name" "${@:3}"; then
		say "$name: it is not here, so the tests that need it will be SKIPPED; LUKASA_REQUIRE=$name has it installed"
		return
	fi
	mkdir -p "$home"
	if [ -s "$home/$name.port" ]; then
		port=$(cat "$home/$name.port")
	else
		while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
		echo "$port" >"$home/$name.port"
	fi
	if url=$(scripts/servers/"$name".sh "$home/$name" "$port" ${behind:-} 2>"$dir/$name.log" | tail -1) && [ -n "$url" ]; then
		say "$name: $(printf %s "$url" | sed 's|://[^@/]*@|://|')"
		printf 'export %s=%q\n' "$variable" "$url" >>"$env_file"
		return
	fi
	tail -5 "$dir/$name.log" >&2
	say "$name: could not be started (see $dir/$name.log), so the tests that need it will be SKIPPED"
}

start() {
	mkdir -p "$dir"
	: >"$env_file"
	inspector
	browser
	if [ "$(id -u)" = 0 ]; then # the server must not run as root, and another user cannot be taken on otherwise
		server postgres 47432 /usr/lib/postgresql/*/bin/initdb
		if [ -n "${LUKASA_TEST_POSTGRES:-}" ] || [ ! -s "$home/postgres.port" ]; then
			given pgbouncer LUKASA_TEST_PGBOUNCER || say "pgbouncer: LUKASA_TEST_PGBOUNCER names none, so the tests that need it will be SKIPPED"
		else
			behind=$(cat "$home/postgres.port") server pgbouncer 47632 pgbouncer
		fi
	else
		given postgres LUKASA_TEST_POSTGRES || say "postgres: only root can start it here, so the tests that need it will be SKIPPED"
	fi
	server redis 47379 redis-server
	server s3 47080 "$PWD"/bin/tools/versitygw-*
}

stop() {
	local name
	for name in pgbouncer postgres redis s3; do
		[ ! -d "$home/$name" ] || scripts/servers/"$name".sh stop "$home/$name" 2>/dev/null || true
		rm -f "$home/$name.port"
	done
	rm -f "$env_file"
	say "stopped"
}

case ${1:-} in
start) start ;;
stop) stop ;;
*)
	echo "usage: scripts/servers.sh start|stop" >&2
	exit 2
	;;
esac
