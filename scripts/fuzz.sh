#!/usr/bin/env bash
# Runs every fuzz target for a time each: scripts/fuzz.sh 10s [packages]. Targets are found in the sources, so a new one
# needs no list. New inputs that fail are written to the package's testdata/fuzz, to be committed with the fix.
set -euo pipefail
cd "$(dirname "$0")/.."

for_each=${1:-10s}
shift || true
[ $# -gt 0 ] || set -- ./...

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cache=$(go env GOCACHE)/fuzz

count=0
failed=()
while IFS=' ' read -r package dir; do
	shopt -s nullglob
	tests=("$dir"/*_test.go)
	shopt -u nullglob
	[ ${#tests[@]} -gt 0 ] || continue
	mapfile -t targets < <(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "${tests[@]}" | sort -u)
	[ ${#targets[@]} -gt 0 ] || continue
	# built once with the fuzzer's instruments, run for each target
	if ! go test -c -fuzz="^${targets[0]}\$" -o "$scratch/fuzz.test" "$package"; then
		failed+=("the build of $package")
		continue
	fi
	for target in "${targets[@]}"; do
		count=$((count + 1))
		echo "== $target in $package"
		(cd "$dir" && "$scratch/fuzz.test" -test.run '^$' -test.fuzz "^$target\$" -test.fuzztime "$for_each" -test.fuzzminimizetime 10x \
			-test.fuzzcachedir "$cache/$package" 2>&1) | tee "$scratch/log" && continue
		# before Go 1.27 the fuzzer may report the end of its own time as a failure (go.dev/issue/75804); that names no input
		if grep -q 'context deadline exceeded' "$scratch/log" && ! grep -q -e 'Failing input' -e 'panic' "$scratch/log"; then
			continue
		fi
		failed+=("$target in $package")
	done
done < <(go list -f '{{.ImportPath}} {{.Dir}}' "$@")

if [ ${#failed[@]} -gt 0 ]; then
	printf 'FAIL: %s\n' "${failed[@]}"
	exit 1
fi
echo "$count fuzz targets, $for_each each, none failed"
[ "$count" -gt 0 ]
