#!/usr/bin/env bash
# Starts a strict S3 server for tests and prints the address of a bucket in it, with its keys, on the last line:
#
#   scripts/servers/s3.sh DIR PORT      data, log and process number are kept in DIR; http://KEY:SECRET@127.0.0.1:PORT/lukasa
#   scripts/servers/s3.sh stop DIR
#
# The server is versitygw, Apache 2.0: signatures, clocks, conditions and part sizes are checked as Amazon does. The Go
# toolchain builds it into bin/tools, which takes about a minute, once. One that runs already is used as it is.
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)

version=v1.8.0
tools=$root/bin/tools
program=$tools/versitygw-$version
key=lukasa-test secret=only-for-tests bucket=lukasa

say() { echo "s3: $*" >&2; }

# running DIR: whether the process that DIR names is our server.
running() {
	local pid
	pid=$(cat "$1/pid" 2>/dev/null) && [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null &&
		[ "$(readlink -f "/proc/$pid/exe" 2>/dev/null || echo "$program")" = "$(readlink -f "$program")" ]
}

if [ "${1:-}" = stop ] && [ $# -eq 2 ]; then
	if running "$2"; then
		kill "$(cat "$2/pid")"
		say "stopped"
	fi
	rm -f "$2/pid"
	exit 0
fi
if [ $# -ne 2 ]; then
	echo "usage: scripts/servers/s3.sh DIR PORT | stop DIR" >&2
	exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)
port=$2

if [ ! -x "$program" ]; then
	say "building versitygw $version into bin/tools"
	mkdir -p "$tools"
	GOBIN=$tools GOFLAGS=-trimpath go install "github.com/versity/versitygw/cmd/versitygw@$version"
	mv "$tools/versitygw" "$program"
fi

# answers: whether somebody listens on the port.
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; }

# launch [OPTION...]: starts the server with options of its storage.
launch() {
	mkdir -p "$dir/objects/$bucket"
	ROOT_ACCESS_KEY_ID=$key ROOT_SECRET_ACCESS_KEY=$secret setsid nohup "$program" --port "127.0.0.1:$port" --keep-alive --quiet \
		posix "$@" "$dir/objects" >"$dir/log" 2>&1 </dev/null &
	echo $! >"$dir/pid"
}

# ready: waits until it listens, or has died.
ready() {
	for _ in $(seq 100); do
		running "$dir" && answers && return 0
		kill -0 "$(cat "$dir/pid")" 2>/dev/null || return 1
		sleep 0.1
	done
	return 1
}

running "$dir" || launch
if ! ready && ! running "$dir" && grep -qi xattr "$dir/log"; then
	# Not the first choice: there a write that fails can leave metadata behind that looks like an object.
	say "the file system of $dir has no extended attributes: metadata goes beside the files"
	mkdir -p "$dir/metadata"
	launch --sidecar "$dir/metadata"
fi
if ready; then
	echo "http://$key:$secret@127.0.0.1:$port/$bucket"
	exit 0
fi
say "the server does not start; its log ends with:"
tail -5 "$dir/log" >&2
exit 1
