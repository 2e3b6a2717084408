#!/usr/bin/env bash
# Runs every fuzz target for a time each: scripts/fuzz.sh 10s [packages]. Targets are found in the sources, so a new one
# needs no list. New inputs that fail are written to the package's testdata/fuzz, to be committed with the fix.
set -euo pipefail
cd "$(dirname "$0")/.."

for_each=${1:-10s}
shift || true
[ $# -gt 0 ] || set -- ./...

count=0
failed=()
while IFS=' ' read -r package dir; do
	shopt -s nullglob
	tests=("$dir"/*_test.go)
	shopt -u nullglob
	[ ${#tests[@]} -gt 0 ] || continue
	while read -r target; do
		[ -n "$target" ] || continue
		count=$((count + 1))
		echo "== $target in $package"
		go test -run '^$' -fuzz "^$target\$" -fuzztime "$for_each" "$package" || failed+=("$target in $package")
	done < <(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "${tests[@]}" | sort -u)
done < <(go list -f '{{.ImportPath}} {{.Dir}}' "$@")

if [ ${#failed[@]} -gt 0 ]; then
	printf 'FAIL: %s\n' "${failed[@]}"
	exit 1
fi
echo "$count fuzz targets, $for_each each, none failed"
[ "$count" -gt 0 ]
