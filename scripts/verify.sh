#!/usr/bin/env bash
# Runs `make generate` and fails if that changed a file, naming it. It compares the tree with itself, so it works before a
# commit too.
set -euo pipefail
cd "$(dirname "$0")/.."

sums() { git -c safe.directory="$PWD" ls-files -z --cached --others --exclude-standard | sort -zu | xargs -0 sha256sum 2>/dev/null || true; }

before=$(sums)
if [ -z "$before" ]; then
	echo "verify: git lists no files here" >&2
	exit 1
fi
make --no-print-directory generate
after=$(sums)
if changed=$(diff <(echo "$before") <(echo "$after")); then
	echo "verify: what is generated is up to date"
	exit 0
fi
echo "verify: make generate changed these files; commit them:" >&2
sed -n 's/^> [0-9a-f]*  /  /p' <<<"$changed" >&2
exit 1
