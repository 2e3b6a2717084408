#!/usr/bin/env bash
# Installs the packages that package-lock.json pins, unless they are there. It is not `npm ci`, which refuses a lock file without the optional
# packages of other systems, which some registries lack.
set -euo pipefail
cd "$(dirname "$0")"
want=$(sha256sum package-lock.json | cut -d' ' -f1)
[ "$(cat node_modules/.installed 2>/dev/null || true)" = "$want" ] && exit 0
npm install --no-save --no-audit --no-fund --loglevel=error
echo "$want" >node_modules/.installed
