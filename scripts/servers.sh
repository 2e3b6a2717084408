#!/usr/bin/env bash
# Prepares what some tests need and cannot bring themselves, and writes where it is to bin/servers/env, which `make test`
# reads. What the environment already names is used as it is:
#
#   LUKASA_TEST_POSTGRES   a connection string of a database that may be filled and emptied
#   LUKASA_TEST_REDIS      host:port of a Redis that may be emptied
#   LUKASA_TEST_S3         URL of a bucket, with credentials, that may be emptied
#   LUKASA_TEST_CHROMIUM   a Chromium or Chrome binary
#   LUKASA_TEST_INSPECTOR  the MCP inspector's command line (npm: @modelcontextprotocol/inspector)
#
# A test that lacks one of these skips with the words "needs NAME: ...", and `make test` says so at its end. LUKASA_REQUIRE
# names, separated by commas, those whose lack is a failure (postgres, redis, s3, chromium, inspector).
#
# Nothing in this version of lukasa needs a server to run; so this prepares the inspector only, and starts no process.
set -euo pipefail
cd "$(dirname "$0")/.."

inspector_version=0.15.0
dir=bin/servers
env_file=$dir/env

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

start() {
	mkdir -p "$dir"
	: >"$env_file"
	inspector
	local name
	for name in postgres redis s3 chromium; do
		given "$name" "LUKASA_TEST_${name^^}" || true
	done
}

case ${1:-} in
start) start ;;
stop)
	rm -f "$env_file"
	say "forgotten; no process was started, so none is stopped"
	;;
*)
	echo "usage: scripts/servers.sh start|stop" >&2
	exit 2
	;;
esac
