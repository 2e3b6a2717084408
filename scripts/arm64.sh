#!/usr/bin/env bash
# Runs the tests of the packages that have assembly, or read memory in the machine's own form, for arm64: on such a machine as they
# are, elsewhere under qemu's user mode emulation. What comes out is results, not speed: emulation takes about ten times as long,
# so the long tests are left out (-short).
#
#   scripts/arm64.sh [PACKAGE...]      default: the packages below
set -euo pipefail
cd "$(dirname "$0")/.."

rooms=(./internal/vector/... ./internal/mmap/... ./internal/postings/... ./internal/index/local/... ./internal/embed/builtin/... ./internal/store/sqlite/...)
[ $# -eq 0 ] || rooms=("$@")

run=()
if [ "$(go env GOHOSTARCH)" != arm64 ]; then
	qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64 || true)
	if [ -z "$qemu" ]; then
		echo "arm64: installing qemu-user-static"
		apt-get update -qq && apt-get install -y -qq --no-install-recommends qemu-user-static >/dev/null
		qemu=$(command -v qemu-aarch64-static)
	fi
	"$qemu" --version | head -1
	run=(-exec "$qemu")
fi

CGO_ENABLED=0 GOOS=linux GOARCH=arm64 go test -short -timeout 10m "${run[@]}" "${rooms[@]}"
