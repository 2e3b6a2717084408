#!/usr/bin/env bash
# Starts a Redis server for tests and prints its URL on the last line.
#
#   redis.sh DIR PORT    data, log and process id go into DIR; a server that runs there already is used as it is
#   redis.sh stop DIR    stops the server of DIR
#
# It keeps nothing on disk, listens on 127.0.0.1 only, and forgets the longest unused entries above 256 MB. Where the program
# redis-server is missing and this runs as root on Debian, it is installed, without the service that the package would start.
set -euo pipefail

say() { echo "redis: $*" >&2; }

running() { [ -s "$1/redis.pid" ] && kill -0 "$(cat "$1/redis.pid")" 2>/dev/null; }

if [ "${1:-}" = stop ] && [ $# -eq 2 ]; then
	dir=$2
	if running "$dir"; then
		pid=$(cat "$dir/redis.pid")
		kill "$pid"
		for _ in $(seq 100); do kill -0 "$pid" 2>/dev/null || break; sleep 0.05; done
		say "stopped"
	fi
	rm -f "$dir/redis.pid"
	exit
fi
if [ $# -ne 2 ]; then
	echo "usage: redis.sh DIR PORT | redis.sh stop DIR" >&2
	exit 2
fi
dir=$1 port=$2
mkdir -p "$dir"
dir=$(cd "$dir" && pwd)

if ! command -v redis-server >/dev/null; then
	if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
		say "redis-server is not installed"
		exit 1
	fi
	say "installing redis-server"
	policy=/usr/sbin/policy-rc.d made=
	if [ ! -e "$policy" ]; then # a package may not start its service while this says no
		printf '#!/bin/sh\nexit 101\n' >"$policy"
		chmod +x "$policy"
		made=1
	fi
	status=0
	{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends redis-server; } \
		>"$dir/install.log" 2>&1 || status=$?
	if [ -n "$made" ]; then rm -f "$policy"; fi
	if [ "$status" != 0 ]; then
		tail -5 "$dir/install.log" >&2
		exit 1
	fi
fi

if running "$dir"; then
	port=$(cat "$dir/redis.port")
else
	redis-server --bind 127.0.0.1 --port "$port" --dir "$dir" --logfile "$dir/redis.log" --pidfile "$dir/redis.pid" \
		--daemonize yes --save '' --appendonly no --maxmemory 256mb --maxmemory-policy allkeys-lru >/dev/null
	echo "$port" >"$dir/redis.port"
fi
for _ in $(seq 100); do
	# The pid file appears once it listens; a port that another program holds leaves none.
	if running "$dir" && (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
		echo "redis://127.0.0.1:$port/0"
		exit
	fi
	sleep 0.05
done
say "did not start; the end of $dir/redis.log:"
tail -5 "$dir/redis.log" >&2 || true
exit 1
