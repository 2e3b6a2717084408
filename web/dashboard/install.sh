#!/usr/bin/env bash
# Installs the packages that package-lock.json pins, unless they are there.
set -euo pipefail
cd "$(dirname "$0")"
want=$(sha256sum package-lock.json | cut -d' ' -f1)
[ "$(cat node_modules/.installed 2>/dev/null || true)" = "$want" ] && exit 0
npm ci --no-audit --no-fund --loglevel=error
echo "$want" >node_modules/.installed
