#!/usr/bin/env bash
# Runs every fuzz target for a time each: scripts/fuzz.sh 10s [packages]. Targets are found in the sources, so a new one
# needs no list. New inputs that fail are written to the package's testdata/fuzz, to be committed with the fix.
# FUZZBUDGET=120 begins no further package after so many seconds. The packages then come in an order by lot, so that each has its
# turn on one day or another, and the end says how many had theirs.
set -euo pipefail
cd "$(dirname "$0")/.."

for_each=${1:-10s}
shift || true
[ $# -gt 0 ] || set -- ./...

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cache=$(go env GOCACHE)/fuzz

# one TARGET PACKAGE DIR: runs a target of the package's binary and says how it went
one() {
	local log=$scratch/$1.log
	{
		echo "== $1 in $2"
		if (cd "$3" && "$scratch/fuzz.test" -test.run '^$' -test.fuzz "^$1\$" -test.fuzztime "$for_each" -test.fuzzminimizetime 10x \
			-test.parallel "$workers" -test.fuzzcachedir "$cache/$2" 2>&1); then
			return
		fi
	} >"$log"
	# before Go 1.27 the fuzzer may report the end of its own time as a failure (go.dev/issue/75804); that names no input
	if grep -q 'context deadline exceeded' "$log" && ! grep -q -e 'Failing input' -e 'panic' "$log"; then
		return
	fi
	echo "$1 in $2" >>"$scratch/failed"
}

# Targets of a package run side by side, as many as there are processors: starting and ending one takes as long as a second of it.
lanes=$(nproc)
workers=1
count=0
later=0
while IFS=' ' read -r package dir; do
	shopt -s nullglob
	tests=("$dir"/*_test.go)
	shopt -u nullglob
	[ ${#tests[@]} -gt 0 ] || continue
	mapfile -t targets < <(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "${tests[@]}" | sort -u)
	[ ${#targets[@]} -gt 0 ] || continue
	if [ "${FUZZBUDGET:-0}" -gt 0 ] && [ "$SECONDS" -ge "${FUZZBUDGET:-0}" ]; then
		later=$((later + ${#targets[@]}))
		continue
	fi
	# built once with the fuzzer's instruments, run for each target
	if ! go test -c -fuzz="^${targets[0]}\$" -o "$scratch/fuzz.test" "$package"; then
		echo "the build of $package" >>"$scratch/failed"
		continue
	fi
	for target in "${targets[@]}"; do
		count=$((count + 1))
		while [ "$(jobs -rp | wc -l)" -ge "$lanes" ]; do wait -n || true; done
		one "$target" "$package" "$dir" &
	done
	wait
	for target in "${targets[@]}"; do cat "$scratch/$target.log"; done
done < <(go list -f '{{.ImportPath}} {{.Dir}}' "$@" | if [ "${FUZZBUDGET:-0}" -gt 0 ]; then shuf; else cat; fi)

if [ -s "$scratch/failed" ]; then
	sed 's/^/FAIL: /' "$scratch/failed"
	exit 1
fi
echo "$count fuzz targets, $for_each each, none failed"
[ "$later" -eq 0 ] || echo "$later more were left for another time: ${FUZZBUDGET}s were given"
[ "$count" -gt 0 ]
