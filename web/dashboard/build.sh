#!/usr/bin/env bash
# Builds dist/ from the sources here: packages as package-lock.json pins them, types from the description of the API, then the bundle. The same
# sources give the same bytes on every machine. A build of lukasa does not need this: dist/ is committed.
set -euo pipefail
cd "$(dirname "$0")"

if ! command -v npm >/dev/null; then
	echo "build: there is no npm, so dist/ stays as it is (Debian: apt-get install npm)" >&2
	case ",${LUKASA_REQUIRE:-}," in *,chromium,*) exit 1 ;; esac
	exit 0
fi

./install.sh
export PATH=$PWD/node_modules/.bin:$PATH # node 22 is one of the packages
(cd ../.. && go run ./scripts/openapi) >node_modules/.openapi.json
openapi-typescript node_modules/.openapi.json -o src/api/schema.d.ts >/dev/null
tsc --noEmit
vite build --logLevel warn
