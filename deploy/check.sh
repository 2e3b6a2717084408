#!/usr/bin/env bash
# Tries what stands in this folder, as far as a machine without a container registry and without a cluster can:
#
#   deploy/check.sh            files, nodes and image
#   deploy/check.sh files      the files: Compose, Kubernetes, Prometheus, Grafana, the systemd unit, the proxy
#   deploy/check.sh image      builds deploy/Dockerfile for real and runs the image, read-only and as its user
#   deploy/check.sh full       the same for the target with the programs (downloads about 250 MB of packages)
#   deploy/check.sh nodes      two servers behind the proxy: spread, drain, loss of one
#
# Needs Go, and its module cache filled (go mod download). files: systemd-analyze, and shellcheck where it is there. image, full: root,
# buildah, debootstrap, curl. nodes: haproxy, curl. What is missing is said and counts as a failure. The base images that the
# Dockerfile names cannot be pulled here, so that others are made in their place out of Debian's packages and this machine's Go.
# Scratch goes to SCRATCH, or to a new folder that is removed at the end.
set -euo pipefail
cd "$(dirname "$0")/.."
if [ -n "${SCRATCH:-}" ]; then mkdir -p "$SCRATCH"; scratch=$(realpath "$SCRATCH"); else scratch=$(mktemp -d); fi
own=()
finish() {
	local rc=$?
	for p in "${own[@]}"; do kill "$p" 2>/dev/null || true; done
	wait || true
	[ -n "${SCRATCH:-}" ] || rm -rf "$scratch"
	[ "$rc" -eq 0 ] || echo "FAILED"
}
trap finish EXIT

say() { printf '== %s\n' "$*"; }
die() { echo "$*" >&2; exit 1; }
need() { for c in "$@"; do command -v "$c" >/dev/null || die "needs $c: install it with the system's packages"; done; }

files() {
	say "Compose, Kubernetes, Prometheus rules and dashboard, by their own parsers"
	(cd deploy/check && go vet ./... && go test -count=1 ./...)
	say "names of metrics, against a running server"
	go test -count=1 ./test/deploy
	if command -v shellcheck >/dev/null; then say "shellcheck"; shellcheck deploy/*.sh; fi
	need systemd-analyze
	say "systemd unit"
	mkdir -p "$scratch/unit"
	sed "s|/usr/local/bin/lukasa|/bin/true|" deploy/lukasa.service > "$scratch/unit/lukasa.service"
	systemd-analyze verify "$scratch/unit/lukasa.service"
	systemd-analyze security --offline=true --threshold=20 "$scratch/unit/lukasa.service" | tail -1
}

# base makes an image of a bare Debian, with Go of this machine, out of packages.
base() {
	need buildah debootstrap
	[ "$(id -u)" -eq 0 ] || die "needs root: it makes a Debian with debootstrap"
	export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
	if ! buildah inspect localhost/debian:here >/dev/null 2>&1; then
		say "Debian, from packages"
		[ -d "$scratch/root" ] || debootstrap --variant=minbase --include=ca-certificates bookworm "$scratch/root" >/dev/null
		c=$(buildah from scratch); buildah copy -q "$c" "$scratch/root" / ; buildah commit -q --rm "$c" localhost/debian:here
	fi
	if ! buildah inspect localhost/go:here >/dev/null 2>&1; then
		c=$(buildah from localhost/debian:here)
		buildah copy -q "$c" "$(go env GOROOT)" /usr/local/go
		buildah config --env PATH=/usr/local/go/bin:/usr/bin:/bin:/usr/sbin:/sbin --env GOPROXY=file:///modules --env GOFLAGS=-modcacherw --env GOTOOLCHAIN=local "$c"
		buildah commit -q --rm "$c" localhost/go:here
	fi
}

# unpack IMAGE DIR copies the file system of an image to DIR.
unpack() {
	local c m
	rm -rf "$2"; mkdir -p "$2"
	c=$(buildah from --pull-never "$1"); m=$(buildah mount "$c")
	cp -a "$m/." "$2/"
	buildah umount "$c" >/dev/null; buildah rm "$c" >/dev/null
	mkdir -p "$2/proc" "$2/dev"
}

# jail is what a container runtime does with the manifests' settings: a root that nobody can write to, memory at /data and /tmp,
# its user, no capability, no new ones. It is the first program of its own processes.
jail() {
	# shellcheck disable=SC2016 # the inner shell expands it
	exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LUKASA_DATA=/data HOME=/data TMPDIR=/tmp LUKASA_LISTEN=127.0.0.1:7291 LUKASA_API_KEY="$key" \
		unshare --mount --pid --fork --kill-child=KILL --ipc --uts bash -euc 'r=$1; shift
			mount --bind "$r" "$r"; mount -t proc -o nosuid,noexec,nodev proc "$r/proc"
			mount -t tmpfs -o nosuid,mode=755 dev "$r/dev"; mknod -m 666 "$r/dev/null" c 1 3; mknod -m 444 "$r/dev/urandom" c 1 9
			mount -t tmpfs -o nosuid,nodev,mode=0700,uid=65532,gid=65532 data "$r/data"; mount -t tmpfs -o nosuid,nodev,mode=1777 tmp "$r/tmp"
			mount -o remount,bind,ro "$r"
			exec setpriv --no-new-privs chroot --userspec=65532:65532 --groups= "$r" "$@"' jail "$@"
}

await() { # await URL LOG
	local _
	for _ in $(seq 150); do
		if curl -fs -m 2 "$1" >/dev/null; then return; fi
		sleep .1
	done
	cat "$2"
	die "nothing answers at $1"
}

image() {
	local target=$1 at=$scratch/$1 log=$scratch/$1.log pid
	key=sk_image_0123456789abcdef
	need curl unshare setpriv nsenter
	base
	say "build of target $target"
	buildah build --format docker --pull-never --target "$target" -v "$(go env GOMODCACHE)/cache/download:/modules:ro" --build-arg GO_IMAGE=localhost/go:here \
		--build-arg DEBIAN_IMAGE=localhost/debian:here --build-arg VERSION=check -f deploy/Dockerfile -t "localhost/lukasa:$target" . > "$log" 2>&1 || { tail -20 "$log"; die "it does not build"; }
	unpack "localhost/lukasa:$target" "$at"
	du -sh "$at" | cut -f1
	if [ "$target" = program ] && [ "$(find "$at" -xdev -type f -perm /111 ! -path '*/etc/*')" != "$at/usr/bin/lukasa" ]; then die "there is another program in the small image"; fi
	if [ -n "$(find "$at/data" -type f)" ] || grep -rIlE 'BEGIN [A-Z ]*PRIVATE KEY' "$at/etc"; then die "a key is in the image"; fi
	say "run as user 65532, without a capability, on a root that is read-only"
	jail "$at" /usr/bin/lukasa serve > "$log" 2>&1 &
	own+=($!)
	await http://127.0.0.1:7291/ready "$log"
	pid=$(pgrep -P "${own[-1]}")
	grep -E '^(Uid|CapEff|NoNewPrivs):' "/proc/$pid/status"
	grep -q '^CapEff:[[:space:]]*0000000000000000$' "/proc/$pid/status" || die "it has capabilities"
	curl -fsS -m 10 http://127.0.0.1:7291/v1/documents -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d '{"content":"Maria keeps her bicycle in the cellar."}' >/dev/null
	curl -fsS -m 10 http://127.0.0.1:7291/v1/search -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d '{"query":"where is the bike?"}' | grep -q bicycle || die "saved, but not found"
	inside() { env -i PATH=/usr/bin LUKASA_DATA=/data HOME=/data LUKASA_API_KEY="$key" nsenter -t "$pid" -m -p --root --setuid 65532 --setgid 65532 "$@"; }
	say "the health check, inside"
	inside /usr/bin/lukasa status --wait 3s | grep '^health'
	if inside /usr/bin/lukasa backup /elsewhere.db >/dev/null 2>&1; then die "the root can be written to"; fi
	if [ "$target" = full ]; then for p in pdftoppm tesseract ffmpeg soffice; do inside /usr/bin/which "$p" || die "$p is not in the image"; done; fi
	say "SIGTERM ends it"
	kill -TERM "$pid"
	wait "${own[-1]}" || { cat "$log"; die "it did not end with 0"; }
	unset 'own[-1]'
}

# nodes starts two servers on one store behind the proxy, and takes one away while requests run.
nodes() {
	need haproxy curl
	key=sk_nodes_0123456789abcdef
	say "two servers behind the proxy"
	go build -o "$scratch/lukasa" ./cmd/lukasa
	local n first failed=0
	rm -rf "$scratch/store"
	for n in 1 2; do
		LUKASA_DATA="$scratch/store" LUKASA_API_KEY=$key LUKASA_RATE_LIMIT=0 "$scratch/lukasa" serve --listen "127.0.0.1:728$n" > "$scratch/node$n.log" 2>&1 &
		own+=($!)
		[ "$n" = 2 ] || first=$!
		await "http://127.0.0.1:728$n/ready" "$scratch/node$n.log"
	done
	LUKASA_PROXY_BIND=127.0.0.1:7280 LUKASA_NODE_1=127.0.0.1:7281 LUKASA_NODE_2=127.0.0.1:7282 haproxy -db -f deploy/haproxy.cfg > "$scratch/proxy.log" 2>&1 &
	own+=($!)
	await http://127.0.0.1:7280/ready "$scratch/proxy.log"
	save() { curl -s -m 10 -o /dev/null -w '%{http_code}\n' http://127.0.0.1:7280/v1/documents -H "Authorization: Bearer $key" -H 'Content-Type: application/json' -d "{\"content\":\"note $1 of the two servers\"}"; }
	for n in $(seq 100); do
		[ "$n" != 40 ] || kill -TERM "$first"
		[ "$(save "$n")" = 201 ] || failed=$((failed + 1))
	done
	for n in one two; do echo "server $n: $(grep -c "servers/$n " "$scratch/proxy.log") requests"; grep -q "servers/$n " "$scratch/proxy.log" || die "server $n got nothing"; done
	[ "$(curl -s -o /dev/null -w '%{http_code}' http://127.0.0.1:7280/metrics -H "Authorization: Bearer $key")" = 404 ] || die "metrics can be read from outside"
	echo "100 saves, one server stopped after 40: $failed failed"
	[ "$failed" -eq 0 ] || die "requests were lost"
}

case ${1:-all} in
files) files ;;
image) image program ;;
full) image full ;;
nodes) nodes ;;
all) files; nodes; image program ;;
*) die "what is $1? see the head of this file" ;;
esac
say "good"
